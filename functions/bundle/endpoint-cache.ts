/**
 * Takes the place of `@aws-sdk/endpoint-cache` in the bundle. DynamoDB has no discovered endpoints, so the SDK makes one
 * of these and never asks it; if it ever does, that is an error and not a wrong endpoint.
 */
export class EndpointCache {
  get(): never {
    throw new Error('endpoint discovery is not part of this bundle');
  }

  set(): never {
    return this.get();
  }

  delete(): never {
    return this.get();
  }

  has(): never {
    return this.get();
  }
}
