import { connectorContract } from '../support/connectors/contract.ts';
import { telegramWorld } from '../support/telegram/telegram-world.ts';

connectorContract('Telegram', {
  start: telegramWorld,
  // Telegram does not repeat them for clients that were not connected.
  lacks: ['missed reactions'],
});
