import { IncomingMessage, ServerResponse } from 'node:http';
import type { Express, Request, Response } from 'express';

/** Request and response classes for `createServer`. */
export interface MessageClasses {
  IncomingMessage: typeof IncomingMessage;
  ServerResponse: typeof ServerResponse;
  /** Gives the classes and the app the same prototypes. Call it once, for the only app of the server. */
  adopt(app: Express): void;
}

/**
 * Express sets the prototypes of every request and response. V8 then keeps both, and all that they refer to, alive until a
 * major garbage collection (docs/adr/003). Express does not change messages that already have the app's prototypes.
 */
export function createMessageClasses(): MessageClasses {
  class AppRequest extends IncomingMessage {}
  class AppResponse<R extends IncomingMessage = IncomingMessage> extends ServerResponse<R> {}
  return {
    IncomingMessage: AppRequest,
    ServerResponse: AppResponse,
    adopt(app) {
      Object.setPrototypeOf(AppRequest.prototype, app.request);
      Object.setPrototypeOf(AppResponse.prototype, app.response);
      app.request = AppRequest.prototype as Request;
      app.response = AppResponse.prototype as unknown as Response;
    },
  };
}
