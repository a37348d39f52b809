import { decodeStored } from './decodePayment.ts';
import type { Desk } from './desk.ts';
import type { PaymentRow } from './ledger/ledgerTypes.ts';
import { takeOff } from './takeOff.ts';

/**
 * What an earlier process left: a payment that was never signed for is forgotten; one that was is sent
 * again, before any nonce is given out, and followed in the background to its end.
 */
export async function takeUpUnfinished(desk: Desk): Promise<void> {
  const { ledger, logger, rails, offers } = desk;
  const rows = await ledger.takeOverUnfinished();
  const signed: PaymentRow[] = [];
  for (const row of rows) {
    if (row.transactions.length > 0) signed.push(row);
    else await ledger.refused(row.key, 'never sent');
  }
  for (const [network, rail] of rails) {
    const own = signed.filter((row) => row.network === network);
    await rail.resend(own.flatMap(({ transactions }) => transactions));
  }
  for (const row of signed) {
    await ledger.release(row.key);
    const rail = rails.get(row.network);
    const offer = offers.get(row.paid);
    if (!rail || !offer) {
      logger.error({ payment: row.key, paid: row.paid }, 'An unfinished payment is for what is no longer configured');
      continue;
    }
    const envelope = decodeStored(row.payload);
    takeOff(desk, offer, row, rail.read(envelope), envelope.accepted);
  }
  if (rows.length > 0) logger.info({ payments: rows.length, followed: signed.length }, 'Took up unfinished payments');
}
