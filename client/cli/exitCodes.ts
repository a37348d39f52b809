/** 64 to 78 are those of BSD's sysexits.h. */
export const exitCodes = {
  answered: 0,
  failed: 1,
  avoid: 2,
  nothingToTradeOn: 3,
  differs: 4,
  usage: 64,
  refused: 65,
  unavailable: 69,
  pending: 75,
  protocol: 76,
  notPaid: 77,
  config: 78,
} as const;

/** The meaning of each exit code, for the help text and the README. */
export const exitMeanings: Record<keyof typeof exitCodes, string> = {
  answered: 'answered; a check found no listed trap',
  failed: 'failed for another reason; the message states it',
  avoid: 'check: verdict avoid',
  nothingToTradeOn: 'quote: no route; check: a verdict that this version does not know',
  differs: 'verify: the execution returned another amount',
  usage: 'invalid command line; nothing was sent',
  refused: 'the service refused the request; nothing was charged',
  unavailable: 'the service or a node cannot be reached; nothing was signed',
  pending: 'paid, and the answer has not arrived; repeat the command with --resume',
  protocol: 'the response is not one of a truefill service; nothing was signed',
  notPaid: 'not paid: spend limit, no wallet for the network, sandbox, or the payment was refused',
  config: 'the configuration file is invalid',
};
