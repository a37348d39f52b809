/** The exit codes of the command line. Codes 64 to 78 are from BSD's sysexits.h. */
export const exitCodes = {
  answered: 0,
  failed: 1,
  avoid: 2,
  noUsableAnswer: 3,
  differs: 4,
  notTradable: 5,
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
  answered: 'answered; a check found no listed trap, and simulated trades worked',
  failed: 'another failure; the message contains the reason',
  avoid: 'check: verdict avoid',
  noUsableAnswer:
    'quote: no route; check: a verdict that this version does not support; executor, lens: a contract is missing',
  differs: 'verify: the execution returned a different amount',
  notTradable:
    'check: no listed trap, but an ordinary wallet could not trade, would lose most of its money, or could not be tested',
  usage: 'invalid command line; nothing was sent',
  refused: 'the service refused the request; the message states whether it charged',
  unavailable: 'the service or a node is unavailable; nothing was charged',
  pending: 'a payment was sent, but no answer arrived; fetch it with --resume',
  protocol: 'the response is not from a truefill service; nothing was signed',
  notPaid: 'not paid: spend limit too low, no wallet for the network, sandbox without --sandbox, or payment refused',
  config: 'the configuration file is invalid',
};
