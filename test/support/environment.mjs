/**
 * Jest's environment for Node, in which the AWS SDK, ajv and Playwright are what Node itself loads, once for all files of a worker: to
 * load them in each takes a tenth of a run, and in a context of `node:vm` they are slower. The way there: `outside.mjs`.
 *
 * They are of another realm: of an object that a test makes they do not know the class, but for errors. What a test changes
 * of them, such as a mock of a client's class, it takes back: the next file of its worker finds them as this one left them.
 */
import { createRequire } from 'node:module';
import { types } from 'node:util';
import { TestEnvironment } from 'jest-environment-node';

const outside = createRequire(import.meta.url);

/** What is thrown in another realm is an `Error` in this one, too. */
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
    // By which the SDK spreads its attempts.
    this.global.Math = Math;
    this.shareVariables();
    takeErrorsOfOthers(this.global);
  }

  /** The SDK reads those of the process. The next file of this worker finds them as this one did. */
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
