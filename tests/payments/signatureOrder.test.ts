import type { Hex } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RpcProxy, startRpcProxy } from '../../sandbox/index.ts';
import { answerTo, attemptOf, openPaymentFixture, type PaymentFixture, price } from './paymentFixture.ts';

// What is read before a signature is verified. A plain key's is verified in this process. Any other signature may be a
// contract wallet's, also one of 65 bytes: its own key signs for it. So the ledger is read first, then the node.

let fixture: PaymentFixture;
let proxy: RpcProxy;

beforeAll(async () => {
  fixture = await openPaymentFixture();
  proxy = await startRpcProxy(fixture.chain.rpcUrl);
});
afterAll(async () => {
  await proxy?.close();
  await fixture?.close();
});

/** A service that records reads of the ledger and calls of the node, in order. */
async function open() {
  const seen: string[] = [];
  proxy.fault = (calls) => {
    seen.push(...calls.map(({ method }) => method));
    return undefined;
  };
  const opened = await fixture.openPaymentService({
    rpcUrl: proxy.url,
    change: (config) => ({
      ...config,
      ledger: {
        ...config.ledger,
        load: (key) => {
          seen.push('load');
          return config.ledger.load(key);
        },
        claim: (facts) => {
          seen.push('claim');
          return config.ledger.claim(facts);
        },
      },
    }),
  });
  return { ...opened, seen };
}

test('a plain key’s payment is claimed before any node is asked', async () => {
  const { paymentService, seen, close } = await open();
  const payload = await fixture.sign(paymentService, await fixture.newPayer(price));
  // Other reads of the start must not count.
  await expect.poll(() => seen.includes('eth_getBalance')).toBe(true);
  seen.length = 0;
  expect((await paymentService.decide(attemptOf(payload))).kind).toBe('serve');
  expect(seen.slice(0, 2)).toEqual(['load', 'claim']);
  await close();
});

test.each([
  ['65 bytes of another key', `0x${'22'.repeat(64)}1b`],
  ['64 bytes', `0x${'22'.repeat(64)}`],
  ['one byte', '0x01'],
  ['2,048 bytes', `0x${'22'.repeat(2_048)}`],
] as const)('a signature of %s is looked up in the ledger before a node is asked', async (_name, signature: Hex) => {
  const { paymentService, seen, close } = await open();
  const wallet = await fixture.newPayer(price);
  const payload = await fixture.sign(paymentService, wallet);
  const signed = attemptOf({ ...payload, payload: { ...payload.payload, signature } });
  await expect.poll(() => seen.includes('eth_getBalance')).toBe(true);

  // A key without code: one look at its code, and nothing is recorded.
  seen.length = 0;
  expect(await paymentService.decide(signed)).toMatchObject({ status: 402, reason: 'invalid_exact_evm_signature' });
  expect(seen[0]).toBe('load');
  expect(seen).not.toContain('claim');
  expect(seen.filter((method) => method !== 'load' && method !== 'eth_chainId')).toEqual(['eth_getCode']);

  // A contract wallet that accepts it; its stored answer is sent again without a node.
  await fixture.rpc('anvil_setCode', [wallet.address, '0x631626ba7e60e01b5f5260205ff3']);
  seen.length = 0;
  const decision = await paymentService.decide(signed);
  if (decision.kind !== 'serve') throw new Error(JSON.stringify(decision));
  expect(seen[0]).toBe('load');
  await decision.complete(answerTo('x'));
  seen.length = 0;
  expect((await paymentService.decide(signed)).kind).toBe('replay');
  expect(seen).toEqual(['load']);
  await close();
});
