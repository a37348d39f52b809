import fc from 'fast-check';
import type { PrivateKeyAccount } from 'viem/accounts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ProxiedCall, type RpcProxy, startRpcProxy } from '../../sandbox/index.ts';
import { answerTo, attemptOf, openPaymentFixture, type PaymentFixture, price } from '../payments/paymentFixture.ts';
import { hexOf, hostileJson, uint256 } from './arbitraries.ts';
import { beginFuzz } from './beginFuzz.ts';

// The node returns one wrong reply during settlement and is correct afterwards.

const { numRuns } = beginFuzz(40);

let fixture: PaymentFixture;
let proxy: RpcProxy;
let service: Awaited<ReturnType<PaymentFixture['openPaymentService']>>;
let payer: PrivateKeyAccount;
beforeAll(async () => {
  fixture = await openPaymentFixture('base');
  proxy = await startRpcProxy(fixture.chain.rpcUrl);
  service = await fixture.openPaymentService({ rpcUrl: proxy.url });
  payer = await fixture.newPayer(100_000n * price);
});
afterAll(async () => {
  await service?.close();
  await proxy?.close();
  await fixture?.close();
});

const methods = [
  ...['eth_chainId', 'eth_getCode', 'eth_call', 'eth_estimateGas', 'eth_getBlockByNumber', 'eth_maxPriorityFeePerGas'],
  ...[
    'eth_getTransactionCount',
    'eth_sendRawTransaction',
    'eth_sendRawTransactionSync',
    'eth_getTransactionReceipt',
    'eth_blockNumber',
    'eth_getLogs',
  ],
] as const;

const wrongReply = fc.record({
  method: fc.constantFrom(...methods),
  /** Index of the reply among those to that method. */
  position: fc.nat(2),
  result: fc.oneof(
    hostileJson,
    hexOf(64),
    hexOf(640),
    uint256.map((value) => `0x${value.toString(16)}`),
    fc.constantFrom('0x', '0x0', '', null, '0x1'),
  ),
});

/** Replaces one reply of the node. */
function replaceOneReply({ method, position, result }: { method: string; position: number; result: unknown }): void {
  let seen = -1;
  proxy.fault = (calls: ProxiedCall[]) => {
    if (calls[0]?.method !== method) return undefined;
    seen += 1;
    if (seen !== position) return undefined;
    const { id } = calls[0];
    return { kind: 'rewrite', reply: () => JSON.stringify({ jsonrpc: '2.0', id, result }) };
  };
}

test('behavior: one wrong reply never causes a charge without an answer or an answer without a charge', async () => {
  let served = 0;
  await fc.assert(
    fc.asyncProperty(wrongReply, async (wrong) => {
      const attempt = attemptOf(await fixture.sign(service.paymentService, payer));
      const before = await fixture.usdcOf(fixture.payTo);
      replaceOneReply(wrong);
      const first = await service.paymentService.decide(attempt);
      proxy.fault = () => undefined;
      const charged = async () => (await fixture.usdcOf(fixture.payTo)) - before;
      if (first.kind === 'serve') {
        await first.complete(answerTo('once'));
        expect(await charged()).toBe(price);
        served += 1;
      } else if (first.kind === 'refuse') {
        expect([402, 503]).toContain(first.status);
        // A client signs again after a 402, so this payment must not be charged.
        if (first.status === 402) expect(await charged()).toBe(0n);
      }
      const again = await service.paymentService.decide(attempt);
      if (again.kind === 'serve') await again.complete(answerTo('once'));
      expect([again.kind, again.kind === 'refuse' ? again.status : 200]).toEqual([
        first.kind === 'serve' ? 'replay' : 'serve',
        200,
      ]);
      expect(await charged()).toBe(price);
    }),
    { numRuns },
  );
  expect(served).toBeGreaterThan(numRuns / 4);
}, 600_000);
