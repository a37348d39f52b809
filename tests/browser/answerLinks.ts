import { deflateRawSync } from 'node:zlib';
import { splitQuote } from '../support/splitQuote.ts';

/** The fragment of a link that carries an answer. */
export const linkTo = (shared: unknown) => `#answer=${deflateRawSync(JSON.stringify(shared)).toString('base64url')}`;
/** A link with a split quote. */
export const splitLink = linkTo({
  request: {
    path: '/v1/quote',
    body: { chain: 'base', tokenIn: splitQuote.tokenIn, tokenOut: splitQuote.tokenOut, sizeIn: '100' },
  },
  answer: splitQuote,
});
