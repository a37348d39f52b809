import type { PaymentRequired, PaymentRequirements } from '@x402/core/types';
import { NoPaymentOptionError } from '../errors.ts';
import type { Payer } from './wallets.ts';

export interface Choice {
  payer: Pick<Payer, 'findScheme'>;
  /** Only this network. */
  payOn: string | undefined;
  maxValiditySeconds: number;
  /** Networks that were tried before in the same call. */
  tried: ReadonlySet<string>;
}

/**
 * The first option that the wallets can pay: in USDC, on a permitted network, valid for a short time.
 * @throws {NoPaymentOptionError} with the reason
 */
export function chooseOption({ accepts }: PaymentRequired, choice: Choice): PaymentRequirements {
  const { payer, payOn, maxValiditySeconds, tried } = choice;
  const offered = accepts.map(({ network }) => network).join(', ') || 'no known network';

  const payable = accepts.filter(
    ({ network }) =>
      (payOn === undefined || network === payOn) && !tried.has(network) && payer.findScheme(network) !== undefined,
  );
  if (payable.length === 0) {
    const fault =
      payOn !== undefined && payer.findScheme(payOn) ? `not on ${payOn}` : 'no configured wallet can pay there';
    throw new NoPaymentOptionError(
      `The service accepts payment on ${offered}, but ${fault}. Nothing was signed. Pass a wallet for one of these networks, or change payOn (command line: --pay-on).`,
    );
  }

  const inUsdc = payable.filter(({ network, asset }) => {
    const token = payer.findScheme(network)?.findDefaultAsset?.(asset, network as `${string}:${string}`);
    return token?.symbol === 'USDC' && token.decimals === 6;
  });
  if (inUsdc.length === 0)
    throw new NoPaymentOptionError(
      `The service asks for another token than USDC on ${payable.map(({ network }) => network).join(', ')}. Nothing was signed. The client pays in USDC only.`,
    );

  const short = inUsdc.find((option) => validitySeconds(option) <= maxValiditySeconds);
  if (short) return short;
  const shortest = Math.min(...inUsdc.map(validitySeconds));
  throw new NoPaymentOptionError(
    `The payment would stay valid for ${shortest} s, but maxValiditySeconds is ${maxValiditySeconds}. Nothing was signed. Raise maxValiditySeconds (command line: --max-validity) only if you trust the service.`,
  );
}

/**
 * A Solana payment is valid as long as its blockhash: 150 blocks, usually 60 to 90 s. The offer does not limit it, but an
 * offer with a long timeout is still refused.
 */
export const solanaValiditySeconds = 120;

/** The longest time for which a payment of the option can move money. */
export function validitySeconds({ network, maxTimeoutSeconds }: PaymentRequirements): number {
  return network.startsWith('solana:') ? Math.max(maxTimeoutSeconds, solanaValiditySeconds) : maxTimeoutSeconds;
}
