import type { FacilitatorFault } from '../payments/facilitatorServer.ts';
import type { FacilitatorFaultRule, NamedFault } from './faultInjector.ts';
import type { Random } from './random.ts';

const named = (name: string, fault: FacilitatorFault): NamedFault<FacilitatorFault> => ({ name, fault });

/** Errors that a facilitator may report although it has settled. */
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

/** Injects a random fault into a share of the facilitator's responses. */
export const faultyFacilitator =
  (random: Random, share: number): FacilitatorFaultRule =>
  (path) => {
    if (path === '/supported' || !random.chance(share)) return undefined;
    const failure = { success: false, errorReason: random.pick(failures) };
    return random.pick([
      named('drops the request', { kind: 'drop' }),
      named('processes the request and drops the reply', { kind: 'drop', after: true }),
      named('returns HTML', { kind: 'html' }),
      named('processes the request and returns HTML', { kind: 'html', after: true }),
      named('is slow', { kind: 'slow', ms: random.between(100, 4_000) }),
      named('returns 500', { kind: 'respond', status: 500, body: {} }),
      path === '/verify'
        ? named('accepts any payment', { kind: 'respond', body: { isValid: true } })
        : random.pick([
            named('settles and reports a failure', { kind: 'respond', body: failure, after: true }),
            named('reports success without settling', {
              kind: 'respond',
              body: { success: true, transaction: `0x${'ab'.repeat(32)}`, network },
            }),
          ]),
    ]);
  };
