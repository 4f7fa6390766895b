"""A network whose threads take two locks inside each other, in both orders."""

for lock in ("one", "two"):
    print(f'[[lock]]\nname = "{lock}"\nkind = "pthread_mutex"')
for outer, inner in (("one", "two"), ("two", "one")):
    print(f'[[section]]\nname = "{outer}"\nlock = "{outer}"\nhold = {{ mean = 300.0 }}')
    print(f'[[section]]\nname = "in {outer}"\nlock = "{inner}"\ninside = "{outer}"\nhold = {{ mean = 300.0 }}')
print('[[class]]\nname = "threads"\nscales = true')
for here, there in (("one", "two"), ("two", "one")):
    print(f'[[transition]]\nclass = "threads"\nfrom = "{here}"\nto = "{there}"\nprobability = 1.0\nlocal = {{ mean = 500.0 }}')
