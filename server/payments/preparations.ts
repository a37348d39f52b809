import { Memory } from '../../engine/index.ts';
import type { PaidWallets } from './paidWallets.ts';
import type { NetworkPayment } from './paymentNetwork.ts';

/** Wallets in memory, as many as `paidWallets` keeps. */
const maxWallets = 20_000;

/** Reads for an answer that run while its payment settles. */
export interface Preparations {
  /**
   * The payment, whose settlement calls `prepare` once its signature is verified and its wallet has the funds. The wallet
   * must have a settled payment, and gets no other preparation until a payment settles. So each settled payment allows at
   * most one preparation for a payment that fails: failing payments cannot cause requests to nodes without limit.
   */
  beside(payment: NetworkPayment, wallet: string, prepare: () => void): NetworkPayment;
  /** Reports that a payment of the wallet settled. */
  settled(wallet: string): void;
}

export function createPreparations(paidWallets: PaidWallets): Preparations {
  const unsettled = new Memory<string, true>({ maxEntries: maxWallets });

  async function begin(wallet: string, prepare: () => void): Promise<void> {
    if (!(await paidWallets.has(wallet)) || unsettled.get(wallet)) return;
    unsettled.set(wallet, true);
    prepare();
  }

  return {
    beside: (payment, wallet, prepare) => ({
      ...payment,
      settle: (task) =>
        payment.settle({
          ...task,
          async checkFunds() {
            const shortage = await task.checkFunds();
            if (!shortage) void begin(wallet, prepare);
            return shortage;
          },
        }),
    }),
    settled: (wallet) => unsettled.forget(wallet),
  };
}
