import type { PaidItem, RouterContext } from '../../router/index.ts';
import type { StoredAnswer } from '../payment/index.ts';

/** What a procedure came to. A failure is the value it threw; nothing of it has left the server. */
export type Outcome = { ok: true; answer: StoredAnswer } | { ok: false; failure: unknown };

/** Runs a paid procedure through one surface, with a ticket in the context, and keeps the bytes. */
export type Runner = (item: PaidItem, input: unknown, context: RouterContext) => Promise<Outcome>;
