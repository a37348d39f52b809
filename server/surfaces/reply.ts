import type { RequestError } from '../../router/index.ts';
import type { StoredAnswer } from '../payment/index.ts';

/** What a sale came to, before it takes the shape of its surface. `headers` are the payment's. */
export type Reply =
  | { headers: Record<string, string>; answer: StoredAnswer }
  | {
      headers: Record<string, string>;
      refusal: RequestError;
      /** Of a 402: the offer for readers, beside the error's own fields. */
      summary: Record<string, unknown>;
      /** The same object answers everybody who asks the same. */
      isShared?: boolean;
    };
