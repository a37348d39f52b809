import type { Engine, PretradeAnswer, PretradeQuestion } from '../engine/index.ts';
import type { Ticket } from './door/ticket.ts';

/** The check of a token, as the engine makes it. */
export interface Pretrade {
  /** @throws {ChainUnavailableError | DeadlineExceededError} */
  check(question: PretradeQuestion): Promise<PretradeAnswer>;
}

/** What every procedure gets with a request. */
export interface RouterContext {
  engine: Engine;
  pretrade: Pretrade;
  /** Present when, and only when, this very request was paid for. */
  ticket?: Ticket;
  requestId: string;
  /** Absolute address of the documentation; stands in every error body. */
  docsUrl: string;
}
