import type { PaymentWatch } from './paymentConfig.ts';
import type { PaymentNetwork } from './paymentNetwork.ts';

/** Measures the durations and results of verifying and settling on each network. */
export function instrumentNetworks(
  paymentNetworks: ReadonlyMap<string, PaymentNetwork>,
  watch: PaymentWatch | undefined,
): ReadonlyMap<string, PaymentNetwork> {
  if (!watch) return paymentNetworks;
  return new Map(
    [...paymentNetworks].map(([network, paymentNetwork]) => [network, instrumentNetwork(paymentNetwork, watch)]),
  );
}

function instrumentNetwork(paymentNetwork: PaymentNetwork, watch: PaymentWatch): PaymentNetwork {
  const { network } = paymentNetwork;
  const kindOf = ({ kind }: { kind: string }) => kind;
  return {
    ...paymentNetwork,
    read(envelope) {
      const payment = paymentNetwork.read(envelope);
      return {
        ...payment,
        verifyPayload: (terms, nowSeconds) =>
          watch('verify', network, () => payment.verifyPayload(terms, nowSeconds), kindOf),
        verify: () => watch('verify', network, () => payment.verify(), kindOf),
        settle: (task) => watch('settle', network, () => payment.settle(task), kindOf),
      };
    },
  };
}
