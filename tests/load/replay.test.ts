import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { expect, test } from 'vitest';
import { buyOnce } from '../../tools/load/buyOnce.ts';
import { openLoadEnvironment } from '../../tools/load/openLoadEnvironment.ts';

// The benchmarks of HTTP calls use a node that replays recorded responses. It must know every request of the service.

test('a service on the replayed node sells quotes of a new and of a known market', async () => {
  const environment = await openLoadEnvironment();
  try {
    const { recording } = environment;
    const service = await environment.startService({ freshnessMs: 100 });
    const { tokenIn, tokenOut } = recording;
    for (const sizeIn of ['1.5', '2.5', '3.5']) {
      const account = privateKeyToAccount(generatePrivateKey());
      const text = await buyOnce(`${service.ready}/v1/quote`, { tokenIn, tokenOut, sizeIn }, account);
      expect(Number((JSON.parse(text) as { amountOut: string }).amountOut)).toBeGreaterThan(0);
    }
  } finally {
    await environment.close();
  }
});
