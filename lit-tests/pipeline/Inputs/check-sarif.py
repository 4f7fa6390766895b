#!/usr/bin/env python3
# Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks what SARIF 2.1.0 and GitHub's code scanning ask of a log, and that its places are there.

check-sarif.py LOG [--root FOLDER] [--schema FILE] [--fixed FOLDER]

Prints a line for each result: rule, file:line, the source there, fingerprint. With --schema the log
is also validated against the published schema, which is not ours to ship. With --fixed the fixes are
applied to copies of the files in that folder.
"""

import argparse
import json
import os
import re
import sys

PROPERTIES = {
    "run": {"tool", "automationDetails", "columnKind", "results", "properties"},
    "driver": {"name", "semanticVersion", "rules"},
    "rule": {"id", "name", "shortDescription", "fullDescription", "help", "defaultConfiguration", "properties"},
    "result": {"ruleId", "ruleIndex", "level", "message", "locations", "relatedLocations",
               "partialFingerprints", "fixes", "suppressions", "properties"},
    "location": {"id", "physicalLocation", "logicalLocations", "message"},
    "region": {"startLine", "startColumn", "endLine", "endColumn", "snippet"},
}


def expect(condition, message):
    if not condition:
        sys.exit("error: " + message)


def only(thing, kind):
    unknown = set(thing) - PROPERTIES[kind]
    expect(not unknown, f"a {kind} has {unknown}, which is not in the specification")


def checkRegion(region):
    only(region, "region")
    expect(isinstance(region["startLine"], int) and region["startLine"] >= 1, "lines count from 1")
    start, end = region.get("startColumn", 1), region.get("endColumn", 1 << 30)
    expect(isinstance(start, int) and 1 <= start <= end, "columns count from 1, the end behind the start")


def checkLocation(location):
    only(location, "location")
    artifact = location["physicalLocation"]["artifactLocation"]
    expect(re.fullmatch(r"(file://)?([A-Za-z0-9._~/+-]|%[0-9A-F]{2})+", artifact["uri"]), f"no URI: {artifact['uri']}")
    expect(artifact["uri"].startswith("file://") != ("uriBaseId" in artifact), "relative URIs have a base")
    checkRegion(location["physicalLocation"]["region"])
    checkRegion(location["physicalLocation"].get("contextRegion", {"startLine": 1}))


def checkRule(rule):
    only(rule, "rule")
    for text in ("shortDescription", "fullDescription", "help"):
        expect(0 < len(rule[text]["text"]) <= 1024, f"{rule['id']}: {text} is missing or too long")
    expect(len(rule["properties"]["tags"]) <= 20, "GitHub takes 20 tags")


def checkResult(result, rules):
    only(result, "result")
    expect(rules[result["ruleIndex"]]["id"] == result["ruleId"], "ruleIndex and ruleId differ")
    expect(result["level"] in ("none", "note", "warning", "error"), "level")
    expect(result["message"]["text"], "a result without a message")
    expect(len(result["locations"]) == 1, "GitHub shows one location")
    expect(len(result.get("relatedLocations", [])) <= 1000, "GitHub takes 1000 locations")
    for location in result["locations"] + result.get("relatedLocations", []):
        checkLocation(location)
    for value in result["partialFingerprints"].values():
        expect(isinstance(value, str) and value, "a fingerprint is a text")
    for fix in result.get("fixes", []):
        for change in fix["artifactChanges"]:
            for replacement in change["replacements"]:
                checkRegion(replacement["deletedRegion"])


def applyFix(fix, root, folder):
    for change in fix["artifactChanges"]:
        uri = change["artifactLocation"]["uri"]
        with open(os.path.join(root, uri), encoding="utf-8") as file:
            lines = file.readlines()
        # From the end on, so that what comes before keeps its place.
        key = lambda one: (one["deletedRegion"]["startLine"], one["deletedRegion"]["startColumn"])
        for one in sorted(change["replacements"], key=key, reverse=True):
            region, at = one["deletedRegion"], one["deletedRegion"]["startLine"] - 1
            line = lines[at]
            lines[at] = line[: region["startColumn"] - 1] + one["insertedContent"]["text"] + line[region["endColumn"] - 1 :]
        with open(os.path.join(folder, os.path.basename(uri)), "w", encoding="utf-8") as file:
            file.writelines(lines)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("log")
    parser.add_argument("--root", default=".")
    parser.add_argument("--schema")
    parser.add_argument("--fixed")
    arguments = parser.parse_args()
    with open(arguments.log, encoding="utf-8") as file:
        log = json.load(file)
    if arguments.schema:
        import jsonschema

        with open(arguments.schema, encoding="utf-8") as file:
            schema = json.load(file)
        jsonschema.validators.validator_for(schema)(schema).validate(log)
        print("valid")
    expect(log["version"] == "2.1.0" and len(log["runs"]) == 1, "one run of version 2.1.0")
    run = log["runs"][0]
    only(run, "run")
    only(run["tool"]["driver"], "driver")
    rules = run["tool"]["driver"]["rules"]
    for rule in rules:
        checkRule(rule)
    expect(len({rule["id"] for rule in rules}) == len(rules), "a rule stands there twice")
    expect(len(run["results"]) <= 5000, "GitHub shows 5000 results")
    for result in run["results"]:
        checkResult(result, rules)
        place = result["locations"][0]["physicalLocation"]
        uri, region = place["artifactLocation"]["uri"], place["region"]
        with open(os.path.join(arguments.root, uri.removeprefix("file://")), encoding="utf-8") as file:
            line = file.readlines()[region["startLine"] - 1]
        text = line[region.get("startColumn", 1) - 1 : region.get("endColumn", len(line)) - 1]
        print(f"{result['ruleId']} {uri}:{region['startLine']}: {text} {result['partialFingerprints']['primaryLocationLineHash']}")
        if arguments.fixed and "fixes" in result:
            applyFix(result["fixes"][0], arguments.root, arguments.fixed)
    if run["results"]:
        fingerprints = [result["partialFingerprints"]["primaryLocationLineHash"] for result in run["results"]]
        expect(len(set(fingerprints)) == len(fingerprints), "two results have one fingerprint")


if __name__ == "__main__":
    main()
