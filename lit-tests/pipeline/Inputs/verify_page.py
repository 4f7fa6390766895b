#!/usr/bin/env python3
# Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Uses the page of `verify` as its reader would, in a headless Chromium.

usage: verify_page.py PAGE"""

import json
import os
import re
import sys
import tempfile

import page

STEPS = """
<script>
addEventListener('load', () => setTimeout(async () => {
  const wait = () => new Promise(done => setTimeout(done, 1000));
  const all = selector => [...document.querySelectorAll(selector)];
  const rows = () => all('#gain-table tbody tr').map(row => row.textContent);
  const seen = {verdict: document.querySelector('.verdict').textContent};
  const head = all('#gain-table thead button')[0];
  head.click(); head.click(); seen.down = rows();
  const chart = Chart.getChart(document.querySelector('canvas'));
  seen.series = chart.data.datasets.filter(set => !set.band).map(set => [set.label, set.data.length]);
  const canvas = chart.canvas;
  seen.drawn = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.some(value => value);
  seen.figures = all('details.figures th').map(one => one.textContent);
  seen.skip = document.querySelector(document.querySelector('a.skip').hash) !== null;
  document.querySelector('button.theme').click();
  await wait();
  seen.dark = getComputedStyle(document.body).backgroundColor;
  seen.notes = all('#notes li').length;
  seen.loaded = performance.getEntriesByType('resource').length;
  document.body.append(Object.assign(document.createElement('pre'), {id: 'seen', textContent: JSON.stringify(seen)}));
}, 300));
</script>
"""


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        text = file.read()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "page.html")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace("</body>", STEPS + "</body>"))
        document, errors = page.show(path, folder)
    found = re.search(r'<pre id="seen">(.*?)</pre>', document, re.S)
    if not found:
        sys.exit("the page did not get through the steps:\n" + "\n".join(errors) + document[-2000:])
    seen = json.loads(found.group(1).replace("&gt;", ">").replace("&lt;", "<").replace("&amp;", "&"))
    print("errors:", "; ".join(errors) or "none")
    print("loaded from elsewhere:", seen["loaded"])
    print("verdict:", seen["verdict"])
    for row in seen["down"]:
        print("row:", row)
    for label, points in seen["series"]:
        print(f"series: {label} ({points})")
    print("table below:", ", ".join(seen["figures"]))
    print("drawn:", seen["drawn"], "skips:", seen["skip"], "dark:", seen["dark"] == "rgb(20, 23, 28)")


if __name__ == "__main__":
    main()
