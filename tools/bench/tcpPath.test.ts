import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type PathTotals, TcpPath } from './tcpPath.ts';

// `npm run bench:tcp` compares the model with Linux's TCP over a tunnel.

let totals: PathTotals;
let path: TcpPath;
let startedAt: number;
let received: number;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] });
  totals = { waits: 0 };
  received = 0;
  const to = {
    write(bytes: Uint8Array) {
      received += bytes.length;
      return true;
    },
  };
  path = new TcpPath(to as ConstructorParameters<typeof TcpPath>[0], () => 20, totals);
});
afterEach(() => void vi.useRealTimers());

/** Sends bytes. @returns milliseconds until the last one arrives */
function timeOf(bytes: number): number {
  startedAt = performance.now();
  received = 0;
  path.send(Buffer.alloc(bytes));
  while (received < bytes) vi.advanceTimersByTime(1);
  const took = performance.now() - startedAt;
  vi.advanceTimersByTime(20);
  return took;
}

test.each([
  { bytes: 14_480, ms: 10 },
  { bytes: 14_481, ms: 30 },
  { bytes: 43_440, ms: 30 },
  { bytes: 43_441, ms: 50 },
])('a new connection delivers $bytes bytes after $ms ms', ({ bytes, ms }) => {
  expect(timeOf(bytes)).toBe(ms);
  expect(totals.waits).toBe((ms - 10) / 20);
});

test('a busy connection delivers at once what it has delivered before, and an idle one does not', () => {
  timeOf(40_000);
  timeOf(40_000);
  expect(timeOf(40_000)).toBe(10);
  vi.advanceTimersByTime(3_000);
  expect(timeOf(40_000)).toBe(30);
});
