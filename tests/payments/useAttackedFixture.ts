import { afterEach } from 'vitest';
import type { RpcProxy } from '../../sandbox/index.ts';
import type { PaymentConfig } from '../../server/payments/index.ts';
import type { OpenOptions } from './paymentFixture.ts';
import { useProxiedFixture } from './useProxiedFixture.ts';

/** Adds the block `latest` to gas estimates. Without a block geth estimates on `latest`, but anvil on `pending`. */
export const estimateAtLatest: RpcProxy['fault'] = (calls) =>
  calls.some(({ method }) => method === 'eth_estimateGas')
    ? {
        kind: 'alter',
        rewrite: (original) =>
          original.map((call) =>
            call.method === 'eth_estimateGas'
              ? { ...call, params: [call.params[0], call.params[1] ?? 'latest'] }
              : call,
          ),
      }
    : undefined;

/** A proxied fixture that measures the facilitator's gas. Mining modes are reset after each test. */
export function useAttackedFixture() {
  const setup = useProxiedFixture();
  afterEach(async () => {
    await setup.fixture.rpc('evm_setIntervalMining', [0]);
    await setup.fixture.rpc('evm_setAutomine', [true]);
  });
  return {
    get fixture() {
      return setup.fixture;
    },
    get proxy() {
      return setup.proxy;
    },
    /** Opens a payment service behind the proxy, with long deadlines. */
    openBehindProxy(changes: Partial<PaymentConfig> = {}, location: Pick<OpenOptions, 'file' | 'url'> = {}) {
      setup.proxy.fault = estimateAtLatest;
      return setup.fixture.openPaymentService({
        ...location,
        rpcUrl: setup.proxy.url,
        change: (config) => ({
          ...config,
          ...changes,
          timings: { ...config.timings, settleDeadlineMs: 60_000, rpcTimeoutMs: 60_000 },
        }),
      });
    },
    /** Counts the facilitator's transactions since a block. `gas` and `wei` are the cost of the reverted ones. */
    async spendingSince(since: bigint): Promise<{ paid: number; reverted: number; gas: bigint; wei: bigint }> {
      const latest = await setup.fixture.client.getBlockNumber();
      const facilitator = setup.facilitator().address.toLowerCase();
      const spent = { paid: 0, reverted: 0, gas: 0n, wei: 0n };
      for (let blockNumber = since + 1n; blockNumber <= latest; blockNumber += 1n) {
        const { transactions } = await setup.fixture.client.getBlock({ blockNumber, includeTransactions: true });
        for (const { from, hash } of transactions) {
          if (from.toLowerCase() !== facilitator) continue;
          const receipt = await setup.fixture.client.getTransactionReceipt({ hash });
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
