import { connectorContract } from '../support/connectors/contract.ts';
import { whatsappWorld } from '../support/whatsapp/whatsapp-world.ts';

connectorContract('WhatsApp', { start: whatsappWorld, lacks: ['passwords', 'login steps', 'history'] });
