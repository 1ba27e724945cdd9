import { describe, expect, test } from '@jest/globals';
import { endpointUrl } from '../../functions/shared/endpoint-url.ts';

describe('an address of an endpoint', () => {
  test.each([
    ['https://example.com', 'https://example.com/'],
    ['https://hooks.example.co.uk/a/b?c=d', 'https://hooks.example.co.uk/a/b?c=d'],
    ['https://EXAMPLE.com:443/', 'https://example.com/'],
    ['https://xn--bcher-kva.example/', 'https://xn--bcher-kva.example/'],
    ['https://1e100.net/', 'https://1e100.net/'],
  ])('%s is taken', (text, url) => {
    expect(endpointUrl(text)).toBe(url);
  });

  test.each([
    ...['http://example.com/', 'ftp://example.com/', 'wss://example.com/', 'file:///etc/passwd', 'javascript:alert(1)'],
    ...['https://example.com:8443/', 'https://example.com:80/', 'https://example.com:0/', 'https://example.com:22/'],
    ...['https://user@example.com/', 'https://user:pass@example.com/', 'https://:pass@example.com/'],
    ...['https://example.com/#a', 'https://example.com/#', '//example.com/', '/hooks', 'example.com', '', ' '],
    ...['https://example.com/a b', 'https://example.com/\n', '\thttps://example.com/', 'https://bücher.example/'],
    ...['https:\\\\example.com\\', 'https://example.com\\@10.0.0.1/', 'https://example.com%2f@10.0.0.1/'],
    // Every spelling of an address.
    ...['https://127.0.0.1/', 'https://127.1/', 'https://127.0.1/', 'https://2130706433/', 'https://0x7f000001/'],
    ...['https://0x7f.0.0.1/', 'https://0177.0.0.1/', 'https://017700000001/', 'https://0/', 'https://127.0.0.1./'],
    ...['https://169.254.169.254/latest/', 'https://0xa9fea9fe/', 'https://10.0.0.1/', 'https://8.8.8.8/'],
    ...['https://%31%32%37.0.0.1/', 'https://１２７.0.0.1/', 'https://①②⑦.0.0.1/', 'https://127。0。0。1/'],
    ...['https://[::1]/', 'https://[::ffff:127.0.0.1]/', 'https://[::ffff:7f00:1]/', 'https://[::]/'],
    ...['https://[2606:2800:220:1::1]/', 'https://[fe80::1%25eth0]/', 'https://[64:ff9b::7f00:1]/'],
    // Names that no public server has.
    ...['https://localhost/', 'https://LOCALHOST/', 'https://a.localhost/', 'https://localhost./', 'https://example/'],
    ...[
      'https://printer.local/',
      'https://db.internal/',
      'https://ip-10-0-0-1.ec2.internal/',
      'https://nas.home.arpa/',
    ],
    ...['https://a.test/', 'https://a.invalid/', 'https://a.onion/', 'https://example.com./', 'https://a..b.com/'],
    ...['https://.example.com/', 'https://-.example.com/', 'https://example.c/', 'https://example.123/'],
    `https://example.com/${'a'.repeat(500)}`,
  ])('%j is refused', (text) => {
    expect(endpointUrl(text)).toBeUndefined();
  });

  test('may be on this machine for npm start only', () => {
    for (const text of ['http://localhost:4000/hooks', 'http://localhost/']) {
      expect(endpointUrl(text)).toBeUndefined();
      expect(endpointUrl(text, true)).toBe(text);
    }
    for (const text of ['http://127.0.0.1:4000/', 'http://example.com/', 'https://localhost:4000/', 'http://[::1]/']) {
      expect(endpointUrl(text, true)).toBeUndefined();
    }
  });
});
