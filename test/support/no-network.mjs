/** Loaded before a program: records every connection that it, or a Node program that it starts, tries to open. */
import { appendFileSync } from 'node:fs';
import { Socket } from 'node:net';

const { connect } = Socket.prototype;
Socket.prototype.connect = function (...args) {
  appendFileSync(process.env.CONNECTIONS_FILE, `${process.argv[1]}: ${JSON.stringify(args)}\n`);
  return connect.apply(this, args);
};
