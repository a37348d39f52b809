import type { Hex } from 'viem';
import { expect, test } from 'vitest';
import { answerTo, attemptOf, price } from './paymentFixture.ts';
import { useProxiedFixture } from './useProxiedFixture.ts';

// What is read before a signature is verified. A plain key's is verified in this process. Any other signature may be a
// contract wallet's, also one of 65 bytes: its own key signs for it. So the ledger is read first, then the node.

const setup = useProxiedFixture();

/** Reads of a payer's code; the service reads no other code while it runs. */
const readsOfCode = (seen: readonly string[]) => seen.filter((name) => name === 'eth_getCode').length;

/** A service that records, in order, reads and claims in the ledger and calls of the node. */
async function open() {
  const seen: string[] = [];
  setup.proxy.fault = (calls) => {
    seen.push(...calls.map(({ method }) => method));
    return undefined;
  };
  const opened = await setup.fixture.openPaymentService({
    rpcUrl: setup.proxy.url,
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
  seen.length = 0;
  return { ...opened, seen };
}

test('security: an EOA’s payment is verified and claimed before any request to a node', async () => {
  const { paymentService, seen, close } = await open();
  const payload = await setup.fixture.sign(paymentService, await setup.fixture.newPayer(price));
  expect((await paymentService.decide(attemptOf(payload))).kind).toBe('serve');
  const first = seen.findIndex((name) => name === 'eth_getCode' || name === 'eth_estimateGas');
  expect(seen.slice(0, first)).toEqual(expect.arrayContaining(['load', 'claim']));
  await close();
});

test.each([
  ['65 bytes of another key', `0x${'22'.repeat(64)}1b`],
  ['64 bytes', `0x${'22'.repeat(64)}`],
  ['one byte', '0x01'],
  ['2,048 bytes', `0x${'22'.repeat(2_048)}`],
] as const)('a signature of %s is looked up in the ledger before a node is asked', async (_name, signature: Hex) => {
  const { paymentService, seen, close } = await open();
  const wallet = await setup.fixture.newPayer(price);
  const payload = await setup.fixture.sign(paymentService, wallet);
  const signed = attemptOf({ ...payload, payload: { ...payload.payload, signature } });

  // A key without code: one read of its code, and the ledger records nothing.
  expect(await paymentService.decide(signed)).toMatchObject({ status: 402, reason: 'invalid_exact_evm_signature' });
  expect(readsOfCode(seen.slice(0, seen.indexOf('load')))).toBe(0);
  expect(readsOfCode(seen)).toBe(1);
  expect(seen).not.toContain('claim');

  // A contract wallet that accepts it; its stored answer is sent again without a node.
  await setup.fixture.rpc('anvil_setCode', [wallet.address, '0x631626ba7e60e01b5f5260205ff3']);
  seen.length = 0;
  const decision = await paymentService.decide(signed);
  if (decision.kind !== 'serve') throw new Error(JSON.stringify(decision));
  expect(seen.indexOf('load')).toBeLessThan(seen.indexOf('eth_getCode'));
  await decision.complete(answerTo('x'));
  seen.length = 0;
  expect((await paymentService.decide(signed)).kind).toBe('replay');
  expect(readsOfCode(seen)).toBe(0);
  await close();
});
