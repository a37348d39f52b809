import { decodeEnvelope } from './decodePayment.ts';
import { MalformedPaymentError } from './malformedPaymentError.ts';
import type { PaymentContext } from './paymentContext.ts';
import type { PaymentSigner } from './paymentTypes.ts';
import { walletOf } from './walletOf.ts';

/**
 * The wallet that a PAYMENT-SIGNATURE names, for the rate limit. Sends nothing to a node.
 * @returns undefined if the header is malformed, or names an unknown network
 */
export function readSigner(context: PaymentContext, paymentHeader: string): PaymentSigner | undefined {
  try {
    const envelope = decodeEnvelope(paymentHeader);
    const { network } = envelope.accepted;
    const payment = context.paymentNetworks.get(network)?.read(envelope);
    if (!payment) return undefined;
    const wallet = walletOf({ network, payer: payment.payer });
    return {
      wallet,
      key: payment.key,
      hasPaid: () => context.paidWallets.has(wallet),
      async hasSigned() {
        for (const offer of context.offers.all()) {
          const terms = offer.find(envelope);
          if (terms && (await payment.isSigned(terms, Math.floor(context.now() / 1000)))) return true;
        }
        return false;
      },
    };
  } catch (error) {
    if (error instanceof MalformedPaymentError) return undefined;
    throw error;
  }
}
