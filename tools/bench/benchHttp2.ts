/**
 * npm run bench:http2
 *
 * Compares HTTP/2 with HTTP/1.1 over TLS, through the model of TCP with a round trip of 20 ms (`tcpPath.ts`). One client keeps a
 * connection for each concurrent request, the other sends all of them on one. Needs openssl.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect, createSecureServer } from 'node:http2';
import { Agent, request } from 'node:https';
import { type AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { forkDelayProxy } from './forkDelayProxy.ts';
import { percentile, round } from './statistics.ts';

interface Client {
  call(sentBytes: number, receivedBytes: number): Promise<void>;
  close(): void;
}

const folder = mkdtempSync(join(tmpdir(), 'truefill-http2-'));
const [keyFile, certFile] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', keyFile];
execFileSync('openssl', ['req', '-x509', ...curve, '-out', certFile, '-days', '2', '-subj', '/CN=localhost'], {
  stdio: 'ignore',
});
const cert = readFileSync(certFile);
const server = createSecureServer({ key: readFileSync(keyFile), cert, allowHTTP1: true }, (incoming, response) => {
  incoming.resume().on('end', () => response.end(Buffer.alloc(Number(incoming.headers['x-bytes']))));
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const proxy = await forkDelayProxy(`https://127.0.0.1:${(server.address() as AddressInfo).port}`);
const port = Number(new URL(proxy.url).port);
const trusted = { ca: cert, servername: 'localhost' };

function openHttp1(): Client {
  const agent = new Agent({ ...trusted, keepAlive: true });
  return {
    call: (sentBytes, receivedBytes) =>
      new Promise((resolve, reject) => {
        const headers = { 'content-length': sentBytes, 'x-bytes': receivedBytes };
        request({ host: '127.0.0.1', port, method: 'POST', agent, headers }, (response) => {
          response.resume().on('end', resolve);
        })
          .on('error', reject)
          .end(Buffer.alloc(sentBytes));
      }),
    close: () => agent.destroy(),
  };
}

function openHttp2(): Client {
  // Wider than all replies, so that none waits for HTTP/2's own flow control.
  const session = connect(`https://127.0.0.1:${port}`, { ...trusted, settings: { initialWindowSize: 2 ** 23 } });
  session.on('connect', (_, socket) => {
    if (socket instanceof Socket) socket.setNoDelay(true);
    session.setLocalWindowSize(2 ** 24);
  });
  return {
    call: (sentBytes, receivedBytes) =>
      new Promise((resolve, reject) => {
        const stream = session.request({ ':method': 'POST', ':path': '/', 'x-bytes': String(receivedBytes) });
        stream.resume().on('end', resolve).on('error', reject).end(Buffer.alloc(sentBytes));
      }),
    close: () => session.destroy(),
  };
}

const kinds = [openHttp1, openHttp2];
const send = (client: Client, [sent, received, count]: readonly [number, number, number]) =>
  Promise.all(Array.from({ length: count }, () => client.call(sent * 1000, received * 1000)));

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

/** Medians of both, measured alternately. @param warm requests before the measured ones */
async function measure(
  load: readonly [number, number, number],
  idleMs: number,
  warm: 'all' | 'one',
): Promise<number[]> {
  const samples: number[][] = kinds.map(() => []);
  let clients: Client[] = [];
  for (let run = 0; run < (idleMs > 0 ? 7 : 15); run++) {
    if (run === 0 || warm === 'one') {
      for (const client of clients) client.close();
      clients = kinds.map((open) => open());
      for (const client of clients) await (warm === 'one' ? client.call(100, 100) : send(client, load));
    }
    await sleep(idleMs);
    for (const [at, client] of clients.entries()) samples[at]?.push(await timeOf(() => send(client, load)));
  }
  for (const client of clients) client.close();
  return samples.map((times) => round(percentile(times, 0.5), 0));
}

const print = (what: string, values: readonly number[]) =>
  console.log(`${what.padEnd(44)} HTTP/1.1 ${values[0]}, HTTP/2 ${values[1]}`);

await proxy.setDelay(20);
for (const [sent, received] of [[20, 16] as const, [46, 60] as const]) {
  print(`1 request of ${sent} kB, reply of ${received} kB, ms`, await measure([sent, received, 1], 0, 'all'));
}
for (const count of [1, 3, 8]) {
  const load = [14, 16, count] as const;
  print(`${count} of 14 and 16 kB, busy, ms`, await measure(load, 0, 'all'));
  print(`${count} of 14 and 16 kB, after 3 s, ms`, await measure(load, 3000, 'all'));
  print(`${count} of 14 and 16 kB, one connection open, ms`, await measure(load, 0, 'one'));
}
await proxy.setDelay(0);
const cpu: number[] = [];
for (const open of kinds) {
  const client = open();
  for (let call = 0; call < 50; call++) await client.call(20_000, 16_000);
  const before = process.cpuUsage();
  for (let call = 0; call < 500; call++) await client.call(20_000, 16_000);
  const { user, system } = process.cpuUsage(before);
  cpu.push(round((user + system) / 500, 0));
  client.close();
}
print('CPU of client and server for a call, µs', cpu);
await proxy.close();
server.close();
rmSync(folder, { recursive: true });
