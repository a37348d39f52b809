import type { FacilitatorFault } from '../payments/facilitatorServer.ts';
import type { Dice } from './dice.ts';
import type { Named, StrangerSpell } from './spells.ts';

const named = (name: string, fault: FacilitatorFault): Named<FacilitatorFault> => ({ name, fault });

/** What a facilitator may call a failure after it has settled: that something went wrong, or that it never began. */
const failures = [
  'unexpected_settle_error',
  'invalid_exact_evm_transaction_failed',
  'invalid_transaction_state',
  'invalid_exact_evm_nonce_already_used',
  'insufficient_funds',
  'invalid_exact_evm_insufficient_balance',
  'invalid_exact_svm_transaction_simulation_failed',
];

const network = 'eip155:137';

/** A share of its answers is none, or is wrong. */
export const misbehaving =
  (dice: Dice, share: number): StrangerSpell =>
  (path) => {
    if (path === '/supported' || !dice.chance(share)) return undefined;
    const failure = { success: false, errorReason: dice.pick(failures) };
    return dice.pick([
      named('drops the request', { kind: 'drop' }),
      named('does it and drops the reply', { kind: 'drop', after: true }),
      named('answers a web page', { kind: 'html' }),
      named('does it and answers a web page', { kind: 'html', after: true }),
      named('is slow', { kind: 'slow', ms: dice.between(100, 4_000) }),
      named('answers 500', { kind: 'say', status: 500, body: {} }),
      path === '/verify'
        ? named('finds anything valid', { kind: 'say', body: { isValid: true } })
        : dice.pick([
            named('settles and says that it failed', { kind: 'say', body: failure, after: true }),
            named('says it settled, and did not', {
              kind: 'say',
              body: { success: true, transaction: `0x${'ab'.repeat(32)}`, network },
            }),
          ]),
    ]);
  };
