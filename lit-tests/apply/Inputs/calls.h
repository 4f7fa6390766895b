long sumOfDigits(long value);
long countUnderLock(void);
void giveBack(void);
long threadNumber(void);
long fromMain(long value);
long fromLibrary(long value);
