// Supervises the sandbox's chains as a separate process that holds a pipe to its parent. When the parent dies, the
// kernel closes the pipe and the supervisor kills the chains.
// Input: one JSON line per chain, { name, binary, args }. Output: one JSON line per chain, { name, pid, port } or {
// name, failed }.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

const children = new Map();

function report(message) {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

function start({ name, binary, args }) {
  const child = spawn(binary, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  children.set(name, child);
  let output = '';
  let listening = false;
  child.stdout.on('data', (chunk) => {
    if (listening) return;
    output += chunk;
    const port = /Listening on [^\s]*:(\d+)/.exec(output)?.[1];
    if (!port) return;
    listening = true;
    report({ name, pid: child.pid, port: Number(port) });
  });
  child.stderr.on('data', (chunk) => {
    output = `${output}${chunk}`.slice(-2000);
  });
  child.on('error', (error) => {
    if (child.pid === undefined) children.delete(name);
    report({ name, failed: error.message });
  });
  child.on('exit', (code, signal) => {
    children.delete(name);
    exitWhenDone();
    report({ name, failed: `exited with ${signal ?? code}: ${output.slice(-500)}` });
  });
}

let ending = false;

// Exit only after every chain has ended, so that waiting for this process waits for the chains.
function end() {
  ending = true;
  for (const child of children.values()) child.kill('SIGKILL');
  exitWhenDone();
}

function exitWhenDone() {
  if (ending && children.size === 0) process.exit(0);
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, end);
process.stdout.on('error', end);
createInterface({ input: process.stdin })
  .on('line', (line) => start(JSON.parse(line)))
  .on('close', end);
