import fc from 'fast-check';
import { type Framing, frame, framing } from './framing.ts';
import type { RawRequest } from './rawExchange.ts';
import { requestBody } from './requestBody.ts';
import { requestHeader } from './requestHeader.ts';
import { method, target } from './requestLine.ts';
import { paymentHeader, type UnfundedPayments } from './unfundedPayment.ts';

/** A generated request, with the facts that its checks need. */
export interface Generated extends RawRequest {
  target: string;
  accept: string;
}

/** Generates valid, damaged and truncated HTTP requests. */
export function generatedRequest(payments: UnfundedPayments): fc.Arbitrary<Generated> {
  const chosen = fc.tuple(method, target).chain(([verb, path]) =>
    fc.record({
      verb: fc.constant(verb),
      hosted: fc.oneof({ weight: 8, arbitrary: fc.constant(true) }, fc.constant(false)),
      path: fc.constant(path),
      version: fc.oneof(
        { weight: 60, arbitrary: fc.constant('HTTP/1.1') },
        fc.constantFrom('HTTP/1.0', 'HTTP/0.9', 'HTTP/2.0', 'HTTP/1.2', 'http/1.1', ''),
      ),
      type: fc.oneof(
        { weight: 8, arbitrary: fc.constant('application/json') },
        fc.constantFrom(
          undefined,
          '',
          'text/plain',
          'application/json; charset=utf-16',
          'multipart/form-data; boundary=x',
        ),
      ),
      accept: fc.constantFrom('*/*', 'application/json', 'text/html', 'application/json, text/event-stream'),
      extra: fc.oneof(
        { weight: 3, arbitrary: fc.constant<[string, string][]>([]) },
        fc.array(requestHeader, { maxLength: 3 }),
      ),
      paid: fc.option(paymentHeader(payments)),
      content:
        verb === 'POST'
          ? requestBody(payments, path)
          : fc.oneof(fc.constant(Buffer.alloc(0)), requestBody(payments, path)),
      how: framing as fc.Arbitrary<Framing>,
      many: fc.oneof({ weight: 5, arbitrary: fc.constant(1) }, fc.integer({ min: 2, max: 4 })),
      cuts: fc.oneof(
        { weight: 3, arbitrary: fc.constant<number[]>([]) },
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 8 }),
      ),
      ending: fc.oneof(
        { weight: 8, arbitrary: fc.constant('wait' as const) },
        fc.constantFrom('close' as const, 'reset' as const),
      ),
      truncated: fc.oneof({ weight: 20, arbitrary: fc.constant(1) }, fc.double({ min: 0, max: 1, noNaN: true })),
    }),
  );
  return chosen.map(
    ({ verb, hosted, path, version, type, accept, extra, paid, content, how, many, cuts, ending, truncated }) => {
      const { lines, bytes } = frame(how, content);
      const head = [
        `${verb} ${path} ${version}`,
        ...(hosted ? ['Host: truefill.test'] : []),
        `Accept: ${accept}`,
        ...(type === undefined ? [] : [`Content-Type: ${type}`]),
        ...lines,
        ...(paid === null ? [] : [`PAYMENT-SIGNATURE: ${paid}`]),
        ...extra.map(([name, value]) => `${name}: ${value}`),
      ].join('\r\n');
      const one = Buffer.concat([Buffer.from(`${head}\r\n\r\n`), bytes]);
      const all = Buffer.concat(Array.from({ length: many }, () => one));
      const sent = all.subarray(0, Math.ceil(all.length * truncated));
      // The server need not answer a truncated request, so the client does not wait.
      const whole = truncated === 1 && (how === 'length' || how === 'chunked' || how === 'trailers');
      return {
        // Report a failing request as its bytes.
        [fc.toStringMethod]: () =>
          `${ending} ${JSON.stringify(cuts)} ${JSON.stringify(sent.toString('latin1').slice(0, 3_000))}`,
        bytes: sent,
        cuts: [...cuts].sort((left, right) => left - right),
        ending: whole || ending === 'reset' ? ending : 'close',
        requests: many,
        method: verb,
        target: path,
        accept: [accept, ...extra.filter(([name]) => /^accept$/i.test(name)).map(([, value]) => value)].join(),
      };
    },
  );
}
