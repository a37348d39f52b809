import type { Engine, PretradeChecker } from '../engine/index.ts';
import type { Ticket } from './ticket/ticket.ts';

/** What every procedure gets with a request. */
export interface RouterContext {
  engine: Engine;
  pretrade: PretradeChecker;
  /** Present only when this request was paid for. */
  ticket?: Ticket;
  requestId: string;
  /** Public base URL without a trailing slash, for the links in error bodies. */
  baseUrl: string;
}
