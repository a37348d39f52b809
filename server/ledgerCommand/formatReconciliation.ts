import { toUsd } from '../payments/usdc.ts';
import type { PaidEntry } from '../storage/index.ts';
import type { Reconciliation } from './reconcilePayees.ts';

const usdc = (units: bigint | number | null): string => (units === null ? 'unknown' : `${toUsd(units)} USDC`);
const balanceOf = (units: bigint | undefined): string => (units === undefined ? 'not read' : usdc(units));

const describePayment = ({ key, payer, amount, lostAt }: PaidEntry): string =>
  `${key}, ${usdc(amount)} from ${payer}${lostAt === null ? '' : ' (lost: the chain dropped its transaction)'}`;

/** The part of the balance's change that is no incoming transfer: what the payee sent. */
function outgoing({ balance: { before, after }, chain, unread }: Reconciliation): bigint | undefined {
  if (before === undefined || after === undefined || unread.some((cause) => cause.includes('transfers of blocks')))
    return undefined;
  return before + chain.units - after;
}

function describe(compared: Reconciliation): string {
  const { network, payTo, blocks, ledger, chain, balance, unread } = compared;
  return [
    `${network}, payee ${payTo}${blocks ? `, blocks ${blocks.first} to ${blocks.last}` : ''}`,
    `  ledger: ${usdc(ledger.units)}, payments: ${ledger.payments}`,
    ...(blocks
      ? [
          `  chain: ${usdc(chain.units)}, transfers: ${chain.transfers}`,
          `  balance: ${balanceOf(balance.before)} before, ${balanceOf(balance.after)} after, ${balanceOf(outgoing(compared))} sent by the payee`,
        ]
      : []),
    ...compared.transfersWithoutPayment.map(
      ({ transaction, block, units, from }) =>
        `  transfer without a payment: ${transaction} in block ${block}, ${usdc(units)} from ${from}`,
    ),
    ...compared.paymentsWithoutTransfer.map((entry) => `  payment without a transfer: ${describePayment(entry)}`),
    ...unread.map((cause) => `  not compared: ${cause}`),
  ]
    .map((line) => `${line}\n`)
    .join('');
}

export const countDifferences = (all: readonly Reconciliation[]): number =>
  all.reduce((sum, one) => sum + one.transfersWithoutPayment.length + one.paymentsWithoutTransfer.length, 0);

/** The comparison for the terminal. */
export const describeReconciliation = (all: readonly Reconciliation[]): string =>
  `\nDifferences between ledger and chain: ${countDifferences(all)}\n${all.map(describe).join('')}`;

/** The comparison for JSON: raw units as decimal strings. */
export const toReconciliationJson = (all: readonly Reconciliation[]): unknown =>
  JSON.parse(JSON.stringify(all, (_, value: unknown) => (typeof value === 'bigint' ? `${value}` : value)));
