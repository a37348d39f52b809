import type { Engine, PretradeChecker } from '../engine/index.ts';
import type { Ticket } from './door/ticket.ts';

/** What every procedure gets with a request. */
export interface RouterContext {
  engine: Engine;
  pretrade: PretradeChecker;
  /** Present only when this request was paid for. */
  ticket?: Ticket;
  requestId: string;
  /** Absolute URL of the documentation, part of every error body. */
  docsUrl: string;
}
