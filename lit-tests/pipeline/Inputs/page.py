#!/usr/bin/env python3
# Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Uses a page as its reader would, in a headless Chromium, and prints what it then shows."""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

# Runs behind the page's own script, and leaves what it saw in the document.
STEPS = """
<script>
addEventListener('load', () => setTimeout(async () => {
  const seen = {}, wait = () => new Promise(done => setTimeout(done, 1000));
  const names = () => [...document.querySelectorAll('#lock-table tbody tr')]
    .filter(row => !row.hidden).map(row => row.dataset.name).join(' ');
  const head = document.querySelector('#lock-table thead button');
  head.click(); seen.up = names();
  head.click(); seen.down = names();
  const search = document.getElementById('search');
  const type = text => { search.value = text; search.dispatchEvent(new Event('input')); };
  type(LOCK.toLowerCase()); seen.found = names(); type('');
  location.hash = '#lock=' + encodeURIComponent(LOCK);
  for (const one of document.querySelectorAll('#locks details[data-name]'))
    if (one.dataset.name !== LOCK) one.open = false;
  await wait();
  seen.linked = [...document.querySelectorAll('#locks details[data-name]')]
    .filter(one => one.open).map(one => one.dataset.name).join(' ');
  const canvases = [...document.querySelectorAll('canvas')].filter(one => one.closest("details:not([open])") === null);
  const isDrawn = one => one.width > 0 &&
    one.getContext('2d').getImageData(0, 0, one.width, one.height).data.some(value => value);
  seen.charts = canvases.filter(isDrawn).length;
  seen.measured = canvases.flatMap(one => Chart.getChart(one).data.datasets)
    .filter(set => set.label === 'measured in the recorded run').flatMap(set => set.data.map(point => point.x));
  const background = () => getComputedStyle(document.body).backgroundColor;
  const taken = [...document.querySelectorAll('#lock-table thead tr:last-child th')].findIndex(one => one.textContent.startsWith('taken'));
  seen.taken = [...new Set([...document.querySelectorAll('#lock-table tbody tr')]
    .map(row => row.children[taken]).filter(Boolean).map(cell => cell.textContent))];
  const light = background();
  document.querySelector('button.theme').click();
  await wait();
  seen.colours = [light, background()];
  seen.excerpts = document.querySelectorAll('#locks pre').length;
  seen.graph = document.querySelectorAll('svg.graph rect').length;
  seen.loaded = performance.getEntriesByType('resource').length;
  document.body.append(Object.assign(document.createElement('pre'), {id: 'seen', textContent: JSON.stringify(seen)}));
}, 300));
</script>
"""


def show(path, folder):
    """Returns the document after the steps, and what the console said."""
    command = ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu"]
    command += [f"--user-data-dir={folder}/profile", "--enable-logging=stderr"]
    command += ["--window-size=1250,2000", "--virtual-time-budget=10000", "--dump-dom"]
    done = subprocess.run(
        command + ["file://" + path], capture_output=True, text=True, check=False
    )
    return done.stdout, re.findall(r"^.*CONSOLE.*$", done.stderr, re.M)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("page")
    parser.add_argument("--lock", required=True)
    parser.add_argument("--charts", type=int, required=True)
    arguments = parser.parse_args()
    with open(arguments.page, encoding="utf-8") as file:
        page = file.read()
    steps = STEPS.replace("LOCK", json.dumps(arguments.lock))
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "page.html")
        with open(path, "w", encoding="utf-8") as file:
            file.write(page.replace("</body>", steps + "</body>"))
        document, errors = show(path, folder)
    found = re.search(r'<pre id="seen">(.*?)</pre>', document, re.S)
    if not found:
        sys.exit("the page did not get through the steps:\n" + "\n".join(errors) + document[-2000:])
    seen = json.loads(found.group(1))
    print("errors:", "; ".join(errors) or "none")
    print("loaded from elsewhere:", seen["loaded"])
    print("sorted up:", seen["up"])
    print("sorted down:", seen["down"])
    print("found:", seen["found"])
    print("linked:", seen["linked"])
    print("charts drawn:", "yes" if seen["charts"] == arguments.charts else seen["charts"])
    print("measured laid over, at threads:", *seen["measured"])
    print("taken:", *seen["taken"])
    light, dark = seen["colours"]
    print("dark:", "yes" if light == "rgb(255, 255, 255)" and dark == "rgb(20, 23, 28)" else [light, dark])
    print("excerpts:", "yes" if seen["excerpts"] else "no")
    print("graph:", seen["graph"], "sections")


if __name__ == "__main__":
    main()
