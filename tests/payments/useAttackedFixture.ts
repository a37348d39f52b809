import { afterEach } from 'vitest';
import type { RpcProxy } from '../../sandbox/index.ts';
import type { PaymentConfig } from '../../server/payments/index.ts';
import type { OpenOptions } from './paymentFixture.ts';
import { useProxiedFixture } from './useProxiedFixture.ts';

/** geth estimates on the latest block when the request names none; anvil takes the pending one. */
export const estimateAtLatest: RpcProxy['fault'] = (calls) =>
  calls.some(({ method }) => method === 'eth_estimateGas')
    ? {
        kind: 'alter',
        ask: (asked) =>
          asked.map((call) =>
            call.method === 'eth_estimateGas'
              ? { ...call, params: [call.params[0], call.params[1] ?? 'latest'] }
              : call,
          ),
      }
    : undefined;

/** A proxied fixture that adds up what attacks cost the facilitator. */
export function useAttackedFixture() {
  const used = useProxiedFixture();
  afterEach(async () => {
    await used.fixture.rpc('evm_setIntervalMining', [0]);
    await used.fixture.rpc('evm_setAutomine', [true]);
  });
  return {
    get fixture() {
      return used.fixture;
    },
    get proxy() {
      return used.proxy;
    },
    openAttacked(more: Partial<PaymentConfig> = {}, place: Pick<OpenOptions, 'file' | 'url'> = {}) {
      used.proxy.fault = estimateAtLatest;
      return used.fixture.openPaymentService({
        ...place,
        rpcUrl: used.proxy.url,
        change: (config) => ({
          ...config,
          ...more,
          timings: { ...config.timings, settleDeadlineMs: 60_000, rpcTimeoutMs: 60_000 },
        }),
      });
    },
    /** Number, gas and cost of the facilitator's transactions since a block. */
    async spendingSince(since: bigint): Promise<{ paid: number; reverted: number; gas: bigint; wei: bigint }> {
      const latest = await used.fixture.client.getBlockNumber();
      const facilitator = used.facilitator().address.toLowerCase();
      const spent = { paid: 0, reverted: 0, gas: 0n, wei: 0n };
      for (let blockNumber = since + 1n; blockNumber <= latest; blockNumber += 1n) {
        const { transactions } = await used.fixture.client.getBlock({ blockNumber, includeTransactions: true });
        for (const { from, hash } of transactions) {
          if (from.toLowerCase() !== facilitator) continue;
          const receipt = await used.fixture.client.getTransactionReceipt({ hash });
          if (receipt.status === 'success') spent.paid += 1;
          else {
            spent.reverted += 1;
            spent.gas += receipt.gasUsed;
            spent.wei += receipt.gasUsed * receipt.effectiveGasPrice;
          }
        }
      }
      return spent;
    },
  };
}
