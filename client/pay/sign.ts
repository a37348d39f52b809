import { encodePaymentSignatureHeader } from '@x402/core/http';
import type { PaymentPayload, PaymentRequired, PaymentRequirements } from '@x402/core/types';
import { TruefillError } from '../errors.ts';
import type { SignedAmount } from './budget.ts';
import { chooseOption, solanaValiditySeconds, validitySeconds } from './chooseOption.ts';
import { isRecord } from './isRecord.ts';
import type { PaymentSession } from './paymentSession.ts';
import { assertSandboxAllowed, assertSandboxPayment } from './sandboxOffer.ts';

export interface Signed {
  /** The PAYMENT-SIGNATURE header. */
  header: string;
  network: string;
  /** Base units of USDC, counted in the budget. */
  units: number;
  /** The call's payment-identifier; the payment contains it if the service declares that extension. */
  identifier: string;
}

/** What a call has done before this signature. */
export interface EarlierPayments {
  /** The networks of payments that were not charged. */
  networks: ReadonlySet<string>;
  /** The sum of these payments in base units of USDC. */
  units: number;
  /**
   * Their payment-identifier. All payments of a call have the same one: if the service settles an earlier one after all, it
   * answers from that one instead of settling the next.
   */
  identifier?: string;
}

export const noPayments: EarlierPayments = { networks: new Set(), units: 0 };

const usdcUnits = 1_000_000;

/**
 * Signs one payment within the budget. If signing fails, the reservation is released.
 * @throws {SandboxError | SpendLimitError | NoPaymentOptionError}
 */
export async function sign(
  session: PaymentSession,
  offer: PaymentRequired,
  { firstCallFree, earlier }: { firstCallFree: boolean; earlier: EarlierPayments },
): Promise<Signed> {
  assertSandboxAllowed(offer, session.allowSandbox, session.url);
  const payer = await session.payer();
  const { budget, payOn, maxValiditySeconds } = session;
  const option = chooseOption(offer, { payer, payOn, maxValiditySeconds, tried: earlier.networks });
  assertSandboxPayment(option, session);
  const { network } = option;
  const units = Number(option.amount);
  const identifier = earlier.identifier ?? newIdentifier();
  budget.reserve(units, earlier.units);
  try {
    session.onProgress({ stage: 'priced', priceUsd: units / usdcUnits, network, firstCallFree });
    const payload = await payer.client.createPaymentPayload(
      withIdentifier({ ...offer, accepts: [option] }, identifier),
    );
    assertAsOffered(payload, option);
    const header = encodePaymentSignatureHeader(payload);
    budget.hold(header, toSignedAmount(payload, option));
    return { header, network, units, identifier };
  } catch (cause) {
    budget.release(units);
    throw cause;
  }
}

const newIdentifier = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');

/**
 * Adds a payment-identifier to the offer if the service declares that extension. The service then replays the answer for
 * 24 hours instead of minutes, because observers of the chain cannot see the identifier.
 */
function withIdentifier(offer: PaymentRequired, id: string): PaymentRequired {
  const declared = offer.extensions?.['payment-identifier'];
  if (!isRecord(declared) || !isRecord(declared.info)) return offer;
  const info = { ...declared.info, id };
  return { ...offer, extensions: { ...offer.extensions, 'payment-identifier': { ...declared, info } } };
}

const authorizationOf = ({ payload }: PaymentPayload): Record<string, unknown> | undefined =>
  isRecord(payload.authorization) ? payload.authorization : undefined;

/** Compares what was signed with the option: the budget counts the option's amount and validity. @throws {TruefillError} */
export function assertAsOffered(payload: PaymentPayload, option: PaymentRequirements): void {
  if (option.network.startsWith('solana:')) return;
  const { value, validBefore } = authorizationOf(payload) ?? {};
  const latest = Math.floor(Date.now() / 1000) + option.maxTimeoutSeconds;
  if (value === option.amount && Number(validBefore) <= latest) return;
  throw new TruefillError(
    `The signed payment differs from the offer: ${value} units until ${validBefore}, expected ${option.amount} until ${latest}. It was not sent, and nothing was charged. Check the wallet and the clock.`,
  );
}

function toSignedAmount(payload: PaymentPayload, option: PaymentRequirements): SignedAmount {
  const validBefore = authorizationOf(payload)?.validBefore;
  return {
    units: Number(option.amount),
    validBeforeMs: validBefore === undefined ? Date.now() + solanaValiditySeconds * 1000 : Number(validBefore) * 1000,
    validityMs: validitySeconds(option) * 1000,
  };
}
