import type { Hex } from 'viem';
import { expect, test } from 'vitest';
import { answerTo, attemptOf, price } from './paymentFixture.ts';
import { useProxiedFixture } from './useProxiedFixture.ts';
import { acceptsAlways } from './walletCodes.ts';

// Reads before the verification of a signature. The signature of a plain key is verified in this process. Any other
// signature may be of a contract wallet, also one of 65 bytes, so the ledger is read first and then the node.

const setup = useProxiedFixture();

/** Counts the reads of a payer's code. The service reads no other code while it runs. */
const countCodeReads = (steps: readonly string[]) => steps.filter((name) => name === 'eth_getCode').length;

/** Opens a service that records its RPC calls and its ledger's loads and claims, in order. */
async function open() {
  const steps: string[] = [];
  setup.proxy.fault = (calls) => {
    steps.push(...calls.map(({ method }) => method));
    return undefined;
  };
  const opened = await setup.fixture.openPaymentService({
    rpcUrl: setup.proxy.url,
    change: (config) => ({
      ...config,
      ledger: {
        ...config.ledger,
        load: (key) => {
          steps.push('load');
          return config.ledger.load(key);
        },
        claim: (facts) => {
          steps.push('claim');
          return config.ledger.claim(facts);
        },
      },
    }),
  });
  steps.length = 0;
  return { ...opened, steps };
}

test('security: verifies and claims a payment of a plain key before the first request to a node', async () => {
  const { paymentService, steps, close } = await open();
  const payload = await setup.fixture.sign(paymentService, await setup.fixture.newPayer(price));
  expect((await paymentService.decide(attemptOf(payload))).kind).toBe('serve');
  const first = steps.findIndex((name) => name === 'eth_getCode' || name === 'eth_estimateGas');
  expect(steps.slice(0, first)).toEqual(expect.arrayContaining(['load', 'claim']));
  await close();
});

test.each([
  ['65 bytes of another key', `0x${'22'.repeat(64)}1b`],
  ['64 bytes', `0x${'22'.repeat(64)}`],
  ['one byte', '0x01'],
  ['2,048 bytes', `0x${'22'.repeat(2_048)}`],
] as const)(
  'security: looks up a payment with a signature of %s in the ledger before the first request to a node',
  async (_case, signature: Hex) => {
    const { paymentService, steps, close } = await open();
    const wallet = await setup.fixture.newPayer(price);
    const payload = await setup.fixture.sign(paymentService, wallet);
    const signed = attemptOf({ ...payload, payload: { ...payload.payload, signature } });

    // The payer has no code: the service reads its code once and claims nothing.
    expect(await paymentService.decide(signed)).toMatchObject({ status: 402, reason: 'invalid_exact_evm_signature' });
    expect(countCodeReads(steps.slice(0, steps.indexOf('load')))).toBe(0);
    expect(countCodeReads(steps)).toBe(1);
    expect(steps).not.toContain('claim');

    // A contract wallet accepts the signature. The stored answer is replayed without a request to a node.
    await setup.fixture.rpc('anvil_setCode', [wallet.address, acceptsAlways]);
    steps.length = 0;
    const decision = await paymentService.decide(signed);
    if (decision.kind !== 'serve') throw new Error(JSON.stringify(decision));
    expect(steps.indexOf('load')).toBeLessThan(steps.indexOf('eth_getCode'));
    await decision.complete(answerTo('x'));
    steps.length = 0;
    expect((await paymentService.decide(signed)).kind).toBe('replay');
    expect(countCodeReads(steps)).toBe(0);
    await close();
  },
);
