import type { PaymentWatch } from './cashierConfig.ts';
import type { Rail } from './rail.ts';

/** The same rails, with whoever looks at how long verifying and settling take. */
export function watchRails(
  rails: ReadonlyMap<string, Rail>,
  watch: PaymentWatch | undefined,
): ReadonlyMap<string, Rail> {
  if (!watch) return rails;
  return new Map([...rails].map(([network, rail]) => [network, watchRail(rail, watch)]));
}

function watchRail(rail: Rail, watch: PaymentWatch): Rail {
  const { network } = rail;
  const kindOf = ({ kind }: { kind: string }) => kind;
  return {
    ...rail,
    read(envelope) {
      const payment = rail.read(envelope);
      return {
        ...payment,
        examine: (terms, nowSeconds) => watch('verify', network, () => payment.examine(terms, nowSeconds), kindOf),
        verify: () => watch('verify', network, () => payment.verify(), kindOf),
        settle: (task) => watch('settle', network, () => payment.settle(task), kindOf),
      };
    },
  };
}
