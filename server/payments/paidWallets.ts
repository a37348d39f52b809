import { Memory } from '../../engine/index.ts';
import type { PaymentLedger } from './ledger/ledgerTypes.ts';
import type { Clock, PaymentLogger } from './paymentConfig.ts';

/** Wallets in memory, about 100 bytes each. */
const maxWallets = 20_000;
/** How long a wallet counts as new without another look-up: another replica may have settled its first payment. */
const newForMs = 1_000;

/** Which wallets have a settled payment on record. */
export interface PaidWallets {
  /** False if the ledger cannot be read: then the call counts for its address. */
  has(wallet: string): Promise<boolean>;
  /** Records that this process settled a payment of the wallet. */
  add(wallet: string): void;
}

/** Looks each wallet up once. Settled payments are never deleted, so a paying wallet stays one. */
export function createPaidWallets(ledger: PaymentLedger, now: Clock, logger: PaymentLogger): PaidWallets {
  const keptMs = (hasPaid: boolean) => (hasPaid ? Number.POSITIVE_INFINITY : newForMs);
  const known = new Memory<string, boolean>({ maxEntries: maxWallets, keptMs, now });
  const running = new Map<string, Promise<boolean>>();

  async function read(wallet: string): Promise<boolean> {
    try {
      const hasPaid = await ledger.hasPaid(wallet);
      // `add` may have run during the look-up.
      if (!known.get(wallet)) known.set(wallet, hasPaid);
      return known.get(wallet) ?? hasPaid;
    } catch (err) {
      logger.warn({ wallet, err }, 'Cannot look up the payments of a wallet; its call counts for its address');
      return false;
    } finally {
      running.delete(wallet);
    }
  }

  return {
    async has(wallet) {
      const found = known.get(wallet);
      if (found !== undefined) return found;
      const reading = running.get(wallet) ?? read(wallet);
      running.set(wallet, reading);
      return reading;
    },
    add: (wallet) => known.set(wallet, true),
  };
}
