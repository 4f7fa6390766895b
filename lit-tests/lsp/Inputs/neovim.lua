-- A session of Neovim with the configuration that docs/editors.md has. The test gives it as
-- QDADVISE_LUA, and the file as QDADVISE_FILE.

local function say(...)
  io.stdout:write(table.concat({ ... }, " "), "\n")
end

local function fail(what)
  say("FAILED: " .. what)
  say(vim.inspect(vim.diagnostic.get(0)))
  vim.cmd("cquit")
end

local function waitUntil(what, holds)
  if not vim.wait(120000, holds, 50) then
    fail("waited in vain until " .. what)
  end
end

local showed = {}
vim.notify = function(text)
  table.insert(showed, text)
end
vim.lsp.handlers["window/showMessage"] = function(_, params)
  table.insert(showed, params.message)
end

dofile(vim.env.QDADVISE_LUA)
vim.cmd("edit " .. vim.env.QDADVISE_FILE)
local buffer = vim.api.nvim_get_current_buf()

local function clientNamed(name)
  for _, client in pairs(vim.lsp.buf_get_clients(buffer)) do
    if client.name == name then
      return client
    end
  end
end

local function advice()
  local found = {}
  for _, one in ipairs(vim.diagnostic.get(buffer)) do
    if one.source == "qdadvise" then
      table.insert(found, one)
    end
  end
  table.sort(found, function(a, b)
    return a.lnum < b.lnum
  end)
  return found
end

local function sayAdvice(title)
  say("== " .. title)
  for _, one in ipairs(advice()) do
    say((one.lnum + 1) .. ":", one.message)
  end
end

local function lineOf(text)
  for number, line in ipairs(vim.api.nvim_buf_get_lines(buffer, 0, -1, false)) do
    if line:find(text, 1, true) then
      return number - 1
    end
  end
  fail("there is no line with " .. text)
end

waitUntil("there is advice", function()
  return #advice() > 0
end)
sayAdvice("opened")

local function ask(method, params)
  local answer, err = vim.lsp.buf_request_sync(buffer, method, params, 120000)
  if err then
    fail(method .. ": " .. err)
  end
  local client = clientNamed("qdadvise")
  return (answer[client.id] or {}).result
end

local function at(text)
  local line = lineOf(text)
  local column = vim.api.nvim_buf_get_lines(buffer, line, line + 1, false)[1]:find(text, 1, true) - 1
  return {
    textDocument = vim.lsp.util.make_text_document_params(buffer),
    position = { line = line, character = column },
  }
end

say("== hover")
say(vim.split(ask("textDocument/hover", at("records_.push_back")).contents.value, "\n")[1])

if vim.env.QDADVISE_CLANGD then
  waitUntil("clangd is there", function()
    return clientNamed("clangd") ~= nil
  end)
  -- It does not know the plugin's words, and the plugin's server does not know its.
  local clangd = clientNamed("clangd")
  local answer
  waitUntil("clangd has read the file", function()
    answer = vim.lsp.buf_request_sync(buffer, "textDocument/hover", at("records_.push_back"), 120000)
    return answer and answer[clangd.id] and answer[clangd.id].result ~= nil
  end)
  say("== clangd's hover")
  say(vim.inspect(answer[clangd.id].result.contents.value))
end

vim.api.nvim_buf_set_lines(buffer, 0, 0, false, { "// äöü𝄞", "" })
local first = advice()[1].lnum
waitUntil("the advice has moved", function()
  return advice()[1] ~= nil and advice()[1].lnum ~= first
end)
sayAdvice("edited above")

if vim.env.QDADVISE_CLANGD then
  -- An error is clangd's, and leaves the advice where it was.
  vim.api.nvim_buf_set_lines(buffer, -1, -1, false, { "no such thing;" })
  local function findsError()
    for _, one in ipairs(vim.diagnostic.get(buffer, { severity = vim.diagnostic.severity.ERROR })) do
      if one.message:lower():find("unknown type name 'no'", 1, true) then
        return true
      end
    end
    return false
  end
  waitUntil("clangd finds the error", findsError)
  sayAdvice("with an error")
  vim.api.nvim_buf_set_lines(buffer, -2, -1, false, {})
  waitUntil("clangd finds it no more", function()
    return not findsError()
  end)
end

local inside = lineOf("records_.push_back")
local line = vim.api.nvim_buf_get_lines(buffer, inside, inside + 1, false)[1]
vim.api.nvim_buf_set_lines(buffer, inside, inside + 1, false, { line, line })
waitUntil("advice is stale", function()
  for _, one in ipairs(advice()) do
    if one.message:find("is stale", 1, true) then
      return true
    end
  end
  return false
end)
sayAdvice("edited inside")
vim.api.nvim_buf_set_lines(buffer, inside, inside + 1, false, {})
vim.cmd("write")
waitUntil("it is read again", function()
  for _, one in ipairs(advice()) do
    if one.message:find("is stale", 1, true) then
      return false
    end
  end
  return #advice() > 0
end)
sayAdvice("taken back and saved")

-- As the menu of code actions does.
local params = at("pthread_mutex_lock(&")
params.range = { start = params.position, ["end"] = params.position }
params.context = { diagnostics = {} }
local chosen
for _, action in ipairs(ask("textDocument/codeAction", params)) do
  if action.title:find("Make Journal::lock_", 1, true) then
    chosen = action
  end
end
if not chosen then
  fail("there is no action that changes the lock")
end
say("== " .. chosen.title)
showed = {}
clientNamed("qdadvise").request("workspace/executeCommand", chosen.command, nil, buffer)
waitUntil("the lock is another", function()
  return table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), "\n"):find("qdadvise/locks", 1, true) ~= nil
end)
say(showed[1])
vim.cmd("wall")
local clients = vim.lsp.buf_get_clients(buffer)
vim.lsp.stop_client(vim.lsp.get_active_clients())
waitUntil("the servers have ended", function()
  return #vim.lsp.get_active_clients() == 0
end)
say("== ended")
vim.cmd("qall!")
