// The baseline: Node's http without middleware. It parses each body and returns JSON.
//
// Usage: bareServer.mjs [file]. With a file of `{ status, headers, body }` it returns this response to every request.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const [file] = process.argv.slice(2);
const fixed = file && JSON.parse(readFileSync(file, 'utf8'));

const server = createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const received = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    if (fixed) {
      response.writeHead(fixed.status, fixed.headers);
      response.end(fixed.body);
      return;
    }
    const body = JSON.stringify({ status: 'ok', received });
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
    response.end(body);
  });
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`answers on http://127.0.0.1:${server.address().port}\n`);
});
process.once('SIGTERM', () => process.exit(0));
