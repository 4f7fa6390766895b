// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Starts `qdadvise lsp` and leaves the rest to the client library.
const vscode = require('vscode');
const {LanguageClient} = require('vscode-languageclient/node');

let client;

exports.activate = async () => {
  const [command, ...args] = vscode.workspace.getConfiguration('qdadvise').get('command');
  const selector = ['c', 'cpp'].map(language => ({scheme: 'file', language}));
  client = new LanguageClient('qdadvise', 'QDAdvise', {command, args}, {documentSelector: selector});
  try {
    await client.start();
  } catch (error) {
    vscode.window.showErrorMessage(`${command} did not start: ${error.message}. The setting qdadvise.command names it.`);
  }
};

exports.deactivate = () => client && client.stop();
