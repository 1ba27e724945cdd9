/**
 * Jest's environment for Node. Node itself loads the AWS SDK, ajv and Playwright, once for all files of a worker
 * (`outside.mjs`): to load them in each file takes a tenth of a run, and they run slower in a context of `node:vm`.
 *
 * They belong to another realm, so they do not recognise the classes of a test's objects, except errors. A test must
 * undo each change to them, such as a mocked client class: the next file of its worker uses the same modules.
 */
import { createRequire } from 'node:module';
import { types } from 'node:util';
import { TestEnvironment } from 'jest-environment-node';

const outside = createRequire(import.meta.url);

/** Makes `instanceof Error` true for errors from another realm. */
function takeErrorsOfOthers({ Error, Function }) {
  const isInstance = Function.prototype[Symbol.hasInstance];
  Object.defineProperty(Error, Symbol.hasInstance, {
    value(value) {
      return isInstance.call(this, value) || (this === Error && types.isNativeError(value));
    },
  });
}

takeErrorsOfOthers(globalThis);

export default class Environment extends TestEnvironment {
  constructor(config, context) {
    super(config, context);
    this.global.outside = outside;
    // The SDK uses it for the delays between attempts.
    this.global.Math = Math;
    this.shareVariables();
    takeErrorsOfOthers(this.global);
  }

  /** The SDK reads the variables of the process. The next file of this worker finds them unchanged. */
  shareVariables() {
    this.variables = process.env;
    process.env = { ...process.env };
    Object.defineProperty(this.global.process, 'env', {
      get: () => process.env,
      set: (variables) => {
        process.env = variables;
      },
    });
  }

  async teardown() {
    process.env = this.variables;
    await super.teardown();
  }
}
