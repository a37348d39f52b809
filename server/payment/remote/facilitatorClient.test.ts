import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createFacilitatorClient, FacilitatorUnansweredError } from './facilitatorClient.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Takes every request and answers none. */
const silent = createServer(() => {});
beforeAll(() => new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve)));
afterAll(() => {
  silent.closeAllConnections();
  silent.close();
});

test('error: FacilitatorUnansweredError when time is up, whatever the garbage collector does meanwhile', async () => {
  const { port } = silent.address() as AddressInfo;
  const timeouts = { facilitatorTimeoutMs: 400, facilitatorSettleTimeoutMs: 400 };
  const client = createFacilitatorClient({ url: `http://127.0.0.1:${port}` }, timeouts);
  const collecting = setInterval(collectGarbage, 20);
  const asked = client.supported(new AbortController().signal);
  await expect(asked).rejects.toThrow(FacilitatorUnansweredError);
  clearInterval(collecting);
}, 10_000);
