import fc from 'fast-check';
import { hostileJson, hostileKey, hostileText, sizeText } from '../arbitraries.ts';

/** Valid payments of wallets without USDC, by path. */
export interface UnfundedPayments {
  quote: object;
  check: object;
}

/** A signed payment that cannot be charged, unchanged or with one field changed. */
export function unfundedPayment({ quote, check }: UnfundedPayments): fc.Arbitrary<unknown> {
  const whole = fc.constantFrom<Record<string, unknown>>(quote as never, check as never);
  const key = fc.oneof(fc.constantFrom('x402Version', 'accepted', 'payload', 'resource', 'extensions'), hostileKey);
  const inner = fc.constantFrom('accepted', 'payload');
  const deepKey = fc.oneof(
    fc.constantFrom(
      'network',
      'scheme',
      'amount',
      'asset',
      'payTo',
      'extra',
      'maxTimeoutSeconds',
      'authorization',
      'signature',
      'transaction',
    ),
    hostileKey,
  );
  return fc.oneof(
    { weight: 3, arbitrary: whole as fc.Arbitrary<unknown> },
    fc.tuple(whole, key, hostileJson).map(([paid, name, odd]) => ({ ...paid, [name]: odd })),
    fc
      .tuple(whole, inner, deepKey, fc.oneof(hostileJson, hostileText))
      .map(([paid, at, name, odd]) => ({ ...paid, [at]: { ...(paid[at] as object), [name]: odd } })),
    fc
      .tuple(
        whole,
        fc.constantFrom('from', 'to', 'value', 'validAfter', 'validBefore', 'nonce'),
        fc.oneof(hostileJson, hostileText, sizeText),
      )
      .map(([paid, name, odd]) => {
        const inside = paid.payload as { authorization: object };
        return { ...paid, payload: { ...inside, authorization: { ...inside.authorization, [name]: odd } } };
      }),
    whole.map((paid) => upperCaseWallet(paid)),
  );
}

/** The same wallet in upper case; hexadecimal is case-insensitive. */
function upperCaseWallet(paid: Record<string, unknown>): unknown {
  const inside = paid.payload as { authorization: { from: string } };
  const from = `0x${inside.authorization.from.slice(2).toUpperCase()}`;
  return { ...paid, payload: { ...inside, authorization: { ...inside.authorization, from } } };
}

/** The payment as a header, complete or damaged. */
export function paymentHeader(payments: UnfundedPayments): fc.Arbitrary<string> {
  const encoded = unfundedPayment(payments).map((paid) => Buffer.from(JSON.stringify(paid)).toString('base64'));
  return fc.oneof(
    { weight: 6, arbitrary: encoded },
    fc.tuple(encoded, fc.nat(100)).map(([text, cut]) => text.slice(0, -cut || undefined)),
    fc
      .tuple(
        encoded,
        fc.constantFrom(
          ', ',
          '\t',
          '=',
          '-',
          '_',
          '\u0000',
          '\r\nX-Injected: yes',
          '\r\n\r\nGET /health HTTP/1.1\r\nHost: x\r\n\r\n',
        ),
      )
      .map(([text, odd]) => `${text.slice(0, 40)}${odd}${text.slice(40)}`),
    hostileJson.map((value) => Buffer.from(JSON.stringify(value)).toString('base64')),
    fc.uint8Array({ maxLength: 50 }).map((raw) => Buffer.from(raw).toString('base64')),
    fc.constantFrom('', ' ', 'null', 'e30=', 'W10=', 'bnVsbA==', '{}', 'A'.repeat(12_289), '='.repeat(10)),
    hostileText,
  );
}
