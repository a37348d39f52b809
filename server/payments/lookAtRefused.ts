import { isChainTrouble } from './chainCall.ts';
import { decodeStored } from './decodePayment.ts';
import type { Desk } from './desk.ts';
import type { PaymentRow } from './ledger/ledgerTypes.ts';
import { MalformedPaymentError } from './malformedPaymentError.ts';
import { settledResponse } from './refusals.ts';

/** So many are looked at side by side, and so often one after another in one round. */
const atOnce = 16;
const turns = 4;

/**
 * A refused payment may pay all the same: a reorganisation brings our failed transaction back to a block where it
 * succeeds, a facilitator settles after it has said no. The same payment sent again finds that out; this does when
 * nobody sends it, for as long as it can be used and, after that, for as long as blocks may be replaced.
 */
export async function lookAtRefused(desk: Desk): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) {
    const rows = await desk.ledger.takeRefused(atOnce, desk.timings.lookAroundMs);
    // All are waited for: one that cannot be looked at keeps no other one from it.
    const looks = await Promise.allSettled(rows.map((row) => look(desk, row)));
    const failed = looks.find((outcome) => outcome.status === 'rejected');
    if (failed) throw failed.reason;
    if (rows.length < atOnce) return;
  }
}

async function look({ ledger, rails, logger }: Desk, row: PaymentRow): Promise<void> {
  const { key, network, payer, transactions } = row;
  const rail = rails.get(network);
  if (!rail) return;
  try {
    const payment = rail.read(decodeStored(row.payload));
    const fate = await payment.readLateFate(transactions);
    if (fate.kind === 'open') return;
    if (fate.kind === 'over') return await ledger.foundOver(key);
    const { transaction } = fate;
    if (!(await ledger.foundPaid(key, settledResponse(network, transaction, payer)))) return;
    logger.warn({ payment: key, transaction }, 'A payment that was refused has paid after all: its payer has a credit');
    rail.watch(transactions.filter(({ hash }) => hash === transaction));
    payment.watchForeign({ transaction, since: transactions[0]?.fromBlock ?? 0n });
  } catch (error) {
    if (error instanceof MalformedPaymentError) {
      logger.error({ payment: key, err: error }, 'A refused payment cannot be read');
      return await ledger.foundOver(key);
    }
    // Its turn comes again.
    if (!isChainTrouble(error)) throw error;
    logger.warn({ network, cause: error.message }, 'Refused payments cannot be looked at now');
  }
}
