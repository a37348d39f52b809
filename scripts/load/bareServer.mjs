// The yardstick: Node's http alone, which takes a body, parses it and answers JSON. No framework, no checks.
//
// Usage: bareServer.mjs [file]; with a file of `{ status, headers, body }` it answers those bytes instead, which is what
// the same answer costs anybody who has Node's http below.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const [file] = process.argv.slice(2);
const fixed = file && JSON.parse(readFileSync(file, 'utf8'));

const server = createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const asked = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    if (fixed) {
      response.writeHead(fixed.status, fixed.headers);
      response.end(fixed.body);
      return;
    }
    const body = JSON.stringify({ status: 'ok', asked });
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
    response.end(body);
  });
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`answers on http://127.0.0.1:${server.address().port}\n`);
});
process.once('SIGTERM', () => process.exit(0));
