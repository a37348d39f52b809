import type { createTruefillClient, TruefillClientOptions } from '../../client/index.ts';
import { quoteInput } from '../surfaces/serveFakes.ts';
import type { Mistake } from './mistake.ts';
import { encode, offer, type startScriptedService, unpaid } from './scriptedService.ts';

interface Calls {
  /** The error message of a call to the service with fakes. */
  client(
    call: (truefill: ReturnType<typeof createTruefillClient>) => Promise<unknown>,
    options?: Partial<TruefillClientOptions>,
  ): Mistake['message'];
  /** The error message of a quote from a scripted service. */
  scripted(
    steps: Parameters<typeof startScriptedService>[0],
    options?: Partial<TruefillClientOptions>,
  ): Mistake['message'];
}

export function clientMistakes({ client, scripted }: Calls): Mistake[] {
  // biome-ignore lint/suspicious/noExplicitAny: wrong on purpose
  const wrong = (request: unknown) => client((truefill) => truefill.quote(request as any));
  return [
    {
      mistake: 'a private key as the wallet',
      message: client((truefill) => truefill.health(), { wallet: `0x${'42'.repeat(32)}` as never }),
      seen: /got string/,
      toDo: /privateKeyToAccount/,
    },
    {
      mistake: 'a negative limit',
      message: client((truefill) => truefill.health(), { spendLimit: { totalUsd: -1 } }),
      seen: /totalUsd.*got -1/,
      toDo: /at least 0/,
    },
    {
      mistake: 'a size as a number',
      message: wrong({ ...quoteInput, sizeIn: 1 }),
      seen: /Got 1 \(number\)/,
      toDo: /JSON string/,
    },
    {
      mistake: 'a misspelt field',
      message: wrong({ ...quoteInput, size: '1' }),
      seen: /size: Unknown property/,
      toDo: /remove it/,
    },
    {
      mistake: 'an unreachable service',
      message: client((truefill) => truefill.health(), { url: 'http://127.0.0.1:1' }),
      seen: /127\.0\.0\.1:1 cannot be reached/,
      toDo: /Check the address/,
    },
    {
      mistake: 'a web page',
      message: scripted([{ status: 200, raw: '<html>' }]),
      seen: /\(200\) is not JSON/,
      toDo: /Is this the address/,
    },
    {
      mistake: 'a foreign 402',
      message: scripted([{ status: 402, body: {} }]),
      seen: /no PAYMENT-REQUIRED/,
      toDo: /Is this the address/,
    },
    {
      mistake: 'a limit below the price',
      message: scripted([unpaid()], { spendLimit: { totalUsd: 0.01 } }),
      seen: /costs 0\.02 USD/,
      toDo: /Raise spendLimit\.totalUsd/,
    },
    {
      mistake: 'a network without a wallet',
      message: scripted([unpaid()], { payOn: 'eip155:137' }),
      seen: /eip155:8453/,
      toDo: /Pass a wallet for one of these networks, or change payOn \(command line: --pay-on\)\.$/,
    },
    ...offerMistakes(scripted),
    {
      mistake: 'an unintended sandbox',
      message: scripted([unpaid('20000', 'eip155:8453', 'USD Coin (truefill sandbox)')]),
      seen: /is a truefill sandbox/,
      toDo: /allowSandbox/,
    },
  ];
}

/** Offers that no client should pay. */
function offerMistakes(scripted: Calls['scripted']): Mistake[] {
  return [
    {
      mistake: 'a payment that stays valid for years',
      message: scripted([
        {
          status: 402,
          headers: {
            'payment-required': encode({
              ...offer(),
              accepts: offer().accepts.map((terms) => ({ ...terms, maxTimeoutSeconds: 315_360_000 })),
            }),
          },
          body: {},
        },
      ]),
      seen: /valid for 315360000 s, but maxValiditySeconds is 300/,
      toDo: /Raise maxValiditySeconds/,
    },
    {
      mistake: 'a price above the limit of a call',
      message: scripted([unpaid('2000000')]),
      seen: /costs 2 USD, but spendLimit\.perCallUsd is 1 USD/,
      toDo: /Raise spendLimit\.perCallUsd/,
    },
    {
      mistake: 'a redirect',
      message: scripted([{ status: 308, headers: { location: 'https://other.example/x' } }]),
      seen: /redirects to other\.example/,
      toDo: /set it as the service's url/,
    },
  ];
}
