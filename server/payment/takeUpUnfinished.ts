import { parseStoredAuthorization } from './decodePayment.ts';
import type { Desk } from './desk.ts';
import type { PaymentRow } from './ledger/ledgerTypes.ts';
import { takeOff } from './takeOff.ts';

/**
 * What an earlier process left: a payment that was never signed for is forgotten; one that was is sent
 * again, before any nonce is given out, and followed in the background to its end.
 */
export async function takeUpUnfinished(desk: Desk): Promise<void> {
  const { ledger, logger, facilitators, offers } = desk;
  const rows = await ledger.takeOverUnfinished();
  const signed: PaymentRow[] = [];
  for (const row of rows) {
    if (row.transactions.length > 0) signed.push(row);
    else await ledger.refused(row.key, 'never sent');
  }
  for (const [network, facilitator] of facilitators) {
    const own = signed.filter((row) => row.network === network);
    await facilitator.resend(own.flatMap(({ transactions }) => transactions));
  }
  for (const row of signed) {
    await ledger.release(row.key);
    const facilitator = facilitators.get(row.network);
    const offer = offers.get(row.paid);
    if (facilitator && offer) takeOff(desk, facilitator, offer, row, parseStoredAuthorization(row.payload));
    else
      logger.error({ payment: row.key, paid: row.paid }, 'An unfinished payment is for what is no longer configured');
  }
  if (rows.length > 0) logger.info({ payments: rows.length, followed: signed.length }, 'Took up unfinished payments');
}
