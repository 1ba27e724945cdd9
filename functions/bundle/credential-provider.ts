/**
 * Takes the place of `@aws-sdk/credential-provider-node` in the bundle: Lambda passes credentials in the environment,
 * and the SDK's search for them elsewhere never ends well there.
 */
export { fromEnv as defaultProvider } from '@aws-sdk/credential-provider-env';
