import { paths } from '../createTruefillClient.ts';
import { type AnswerPendingError, type PendingCall, TruefillError, type UnavailableError } from '../errors.ts';
import { describePayment, paymentId } from './pendingStore.ts';

/** The command that a stored payment belongs to. */
export const commandOf = ({ path }: PendingCall): 'quote' | 'check' => (path === paths.quote ? 'quote' : 'check');

export const resumeCommand = (pending: PendingCall): string =>
  `truefill ${commandOf(pending)} --resume ${paymentId(pending.paymentSignature)}`;

/** The message for a payment whose answer has not arrived. It states what is known about the charge. */
export function explainPending({ pending, charged, cause }: AnswerPendingError): string[] {
  const payment = describePayment(pending);
  const fact = charged
    ? `The service charged the payment of ${payment}, but its answer has not arrived (${describeCause(cause)}).`
    : `A payment of ${payment} was sent, but no answer arrived (${describeCause(cause)}). It may have been charged.`;
  return [
    fact,
    'Do not pay again. This sends the same payment, which is charged at most once:',
    `  ${resumeCommand(pending)}`,
  ];
}

/** The message for a payment that the service did not charge. */
export function explainUncharged(pending: PendingCall, { message }: UnavailableError): string[] {
  return [
    message,
    `The payment of ${describePayment(pending)} was sent; the service reports that it charged nothing.`,
    'Run the command again to sign a new payment. To send the same payment again, run:',
    `  ${resumeCommand(pending)}`,
  ];
}

function describeCause(cause: unknown): string {
  if (!(cause instanceof TruefillError)) return 'the connection was lost';
  const body = 'body' in cause ? (cause as UnavailableError).body : undefined;
  return body ? `HTTP ${body.status}, ${body.code}` : cause.message;
}
